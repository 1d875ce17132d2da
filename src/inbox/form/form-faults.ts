import type { JsonObject } from '../../events/json.js';
import { answerFault, inspectionOf, type RawFault } from '../../run/input-schema.js';
import { allFields, type Field, innerFields } from './field.js';
import type { Form } from './form-model.js';

/** One thing that is wrong with what was filled in. */
export interface FormFault {
  /** Name of the field that it stands at; null where no field is to blame, so that only the summary can tell. */
  readonly field: string | null;
  /** Into the answer. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
  /** The keyword's own values, such as the limit that was passed. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** The faults of a form by the very validator that judges the submission; none where it would be taken. */
export function formFaults(schema: JsonObject, form: Form): readonly FormFault[] {
  const places = placesOf(form.root);
  const own = [...allFields(form.root)].flatMap(ownFault);
  const raw = inspectionOf(schema).faults(form.answer);
  if (raw === 'too_costly') {
    return [...own, { field: null, pointer: '', keyword: 'maxEffort', message: 'takes too long to check', params: {} }];
  }
  const told = raw.filter((fault) => isAboutWhatIsShown(fault, places));
  const faults = (told.length === 0 ? raw : told)
    .flatMap((fault) => formFault(fault, places))
    .filter(({ field }) => !own.some((fault) => fault.field === field));
  return withoutRepeats([...own, ...withoutEmptyWords(faults, places)]);
}

/** What somebody else than the form's own validator found wrong with the answer. */
export interface ForeignFault {
  /** Into the answer. */
  readonly pointer: string;
  readonly message: string;
}

/** The keyword of faults that were found elsewhere: their message says everything. */
export const FOREIGN = 'foreign';

/** The same faults at the fields of the form, beside those that only the form can know. */
export function placedFaults(form: Form, found: readonly ForeignFault[]): readonly FormFault[] {
  const places = placesOf(form.root);
  const own = [...allFields(form.root)].flatMap(ownFault);
  const placed = found.flatMap(({ pointer, message }): FormFault[] => {
    const place = places.get(pointer) ?? nearest(pointer, places);
    const field = place === undefined || place === form.root ? null : place.pointer;
    if (own.some((fault) => fault.field === field)) return [];
    const isMissing = place !== undefined && place === places.get(pointer) && place.value === undefined;
    return [{ field, pointer, keyword: isMissing ? 'required' : FOREIGN, message, params: {} }];
  });
  return withoutRepeats([...own, ...placed]);
}

/** Fields by where their values are in the answer: rows that are empty are not in it. */
type Places = ReadonlyMap<string, Field>;

function placesOf(root: Field): Places {
  const places = new Map<string, Field>();
  const walk = (field: Field, at: string): void => {
    places.set(at, field);
    const { control } = field;
    let row = 0;
    for (const inner of innerFields(field)) {
      // A row that is left out of the answer has no place in it, and no fault is about it.
      if (control.kind === 'list' && inner.value === undefined) continue;
      const token = control.kind === 'group' ? lastToken(inner.pointer) : String(row);
      row++;
      walk(inner, `${at}/${token}`);
    }
  };
  walk(root, '');
  return places;
}

function lastToken(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1);
}

/** What the validator cannot say, since it never sees what was typed. */
function ownFault({ pointer, control }: Field): FormFault[] {
  if (control.kind === 'json' && control.unreadable) return [ownFaultAt(pointer, 'json', 'must be JSON')];
  if (control.kind === 'number' && control.inexact) {
    return [
      ownFaultAt(
        pointer,
        'inexact',
        'must be a number between -(2^53-1) and 2^53-1, which every reader takes for the same',
      ),
    ];
  }
  return [];
}

function ownFaultAt(field: string, keyword: string, message: string): FormFault {
  return { field, pointer: field, keyword, message, params: {} };
}

/**
 * The validator also reports the alternatives that were not chosen. A fault counts where its schema is one that the page
 * shows for the place, or where the page shows the place as a whole.
 */
function isAboutWhatIsShown({ instancePointer, schemaPointer, propertyName }: RawFault, places: Places): boolean {
  const place = places.get(instancePointer);
  if (schemaPointer === undefined || propertyName !== undefined) return true;
  if (place === undefined) return nearest(instancePointer, places)?.control.kind === 'json';
  return place.parts.includes(schemaPointer) || place.control.kind === 'json';
}

function formFault(raw: RawFault, places: Places): FormFault[] {
  const fault = answerFault(raw);
  if (fault === undefined) return [];
  const { pointer, keyword, message } = fault;
  const exact = places.get(pointer);
  const box = exact === undefined ? nearest(pointer, places) : exact;
  const isAtField = exact !== undefined || box?.control.kind === 'json';
  return [{ field: isAtField ? (box?.pointer ?? null) : null, pointer, keyword, message, params: raw.params }];
}

function nearest(pointer: string, places: Places): Field | undefined {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const place = places.get(at);
    if (place !== undefined || at === '') return place;
  }
}

/** "Must fit one of the alternatives" says nothing beside what is wrong with the one that was chosen. */
function withoutEmptyWords(faults: readonly FormFault[], places: Places): FormFault[] {
  return faults.filter(({ keyword, pointer, params }) => {
    if (keyword !== 'oneOf' && keyword !== 'anyOf') return true;
    const isOpen = places.get(pointer)?.choices.some(({ chosen }) => chosen === null) === true;
    const isOfSeveral = keyword === 'oneOf' && params.passingSchemas !== null;
    const others = faults.some(
      (other) => other.keyword !== 'oneOf' && other.keyword !== 'anyOf' && isWithin(other.pointer, pointer),
    );
    return isOpen || isOfSeveral || !others;
  });
}

function isWithin(pointer: string, around: string): boolean {
  return pointer === around || pointer.startsWith(`${around}/`);
}

function withoutRepeats(faults: readonly FormFault[]): FormFault[] {
  const seen = new Set<string>();
  return faults.filter(({ field, pointer, keyword, message }) => {
    const identity = JSON.stringify([field, pointer, keyword, message]);
    return !seen.has(identity) && seen.add(identity);
  });
}
