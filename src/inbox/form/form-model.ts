import { isJsonObject, type JsonObject, type JsonValue } from '../../events/json.js';
import { inspectionOf, type SchemaInspection } from '../../run/input-schema.js';
import { pointerTo } from '../../run/json-pointer.js';
import { controlOf } from './controls.js';
import { type Draft, MOST_ROWS, rowsOf, steering, UNTOUCHED } from './draft.js';
import { type Facets, facetsOf } from './facets.js';
import type { BranchChoice, Control, Field } from './field.js';
import { type PlaceReading, readPlace } from './schema-place.js';

/*
 * A schema and what was typed so far become a tree of fields, and the tree has the answer in it. The validator is asked
 * which side of a condition holds, so that the form and the check of the answer cannot disagree.
 */

/** Levels that are shown as fields; what lies deeper is written as JSON. */
const MOST_LEVELS = 12;

/** Fields of one form; the rest is written as JSON. */
const MOST_FIELDS = 500;

/** Conditions that depend on each other settle within a few rounds, or never. */
const MOST_ROUNDS = 8;

export interface Form {
  readonly root: Field;
  /** What the draft comes to: always an object. */
  readonly answer: JsonObject;
}

/**
 * The form of an input schema.
 *
 * @param base JSON pointer in front of every field's name, so that several forms fit on one page
 * @param preset what stands in the form at first, in place of the schema's defaults
 * @throws {Error} for a schema that is not usable
 */
export function buildForm(schema: JsonObject, draft: Draft = UNTOUCHED, base = '', preset?: JsonObject): Form {
  const inspection = inspectionOf(schema);
  let answer: JsonObject = {};
  for (let round = 1; ; round++) {
    const root = new FormBuilder(inspection, draft).root(base, answer, preset);
    const next = isJsonObject(root.value) ? root.value : {};
    if (round === MOST_ROUNDS || JSON.stringify(next) === JSON.stringify(answer)) return { root, answer: next };
    answer = next;
  }
}

/** Where a field is to be, and what is known of it before its schema is read. */
interface Spot {
  readonly pointer: string;
  readonly pointers: readonly string[];
  readonly name: string | null;
  readonly required: boolean;
  /** What stood there in the round before. */
  readonly value: JsonValue | undefined;
  /** What a default further out says of it. */
  readonly preset: JsonValue | undefined;
  readonly level: number;
  /** Schemas that the place lies in. */
  readonly around: readonly string[];
  /** What a chosen alternative says of it. */
  readonly implied?: JsonValue;
}

class FormBuilder {
  private fields = 0;

  constructor(
    private readonly inspection: SchemaInspection,
    readonly draft: Draft,
  ) {}

  root(base: string, value: JsonObject, preset: JsonObject | undefined): Field {
    const spot = {
      pointer: base,
      pointers: [''],
      name: null,
      required: true,
      value,
      preset,
      level: 0,
      around: [],
    };
    return this.fieldAt(spot);
  }

  fieldAt(spot: Spot): Field {
    this.fields++;
    const reading = this.read(spot);
    const facets = facetsOf(reading, spot.value);
    const { control, value } = this.filled(spot, reading, facets);
    return {
      pointer: spot.pointer,
      title: facets.title ?? spot.name,
      description: facets.description,
      required: spot.required,
      parts: reading.parts.map(({ pointer }) => pointer),
      choices: reading.forks.map((fork) => branchChoice(spot.pointer, fork)),
      ...this.withNone(spot, facets, value),
      control,
    };
  }

  /** The texts of a control; undefined where it was not on the page. */
  texts(name: string): readonly string[] | undefined {
    return this.draft.get(name);
  }

  private read({ pointer, pointers, value, preset }: Spot): PlaceReading {
    const { inspection } = this;
    const choose = (nth: number, branches: readonly string[]) => {
      const posted = this.texts(steering.branch(pointer, nth));
      if (posted === undefined) return presetBranch(inspection, branches, preset);
      const chosen = posted.at(-1) ?? '';
      return /^\d{1,3}$/.test(chosen) && Number(chosen) < branches.length ? Number(chosen) : null;
    };
    return readPlace({ inspection, pointers, value, choose });
  }

  private filled(
    spot: Spot,
    reading: PlaceReading,
    facets: Facets,
  ): { control: Control; value: JsonValue | undefined } {
    const preset = spot.preset ?? facets.preset;
    if (spot.implied !== undefined) return { control: { kind: 'fixed', shown: false }, value: spot.implied };
    if (facets.readOnly) return { control: { kind: 'fixed', shown: true }, value: facets.constant ?? preset };
    const [type] = facets.types;
    const hasMembers = facets.members.size > 0 && (facets.types.length === 0 || facets.types.join() === 'object');
    const isFull = this.fields > MOST_FIELDS || spot.level >= MOST_LEVELS;
    if (hasMembers && !isFull && (spot.level === 0 || !facets.openEnded))
      return this.group(spot, reading, facets, preset);
    if (type === 'array' && facets.types.length === 1 && !isFull) {
      const list = this.list(spot, reading, facets, preset);
      if (list !== null) return list;
    }
    if (spot.level === 0) return { control: { kind: 'group', fields: [] }, value: {} };
    // What is there to fill in, the choice will tell; only a plain value is asked for whatever the choice.
    const isOpen = reading.forks.some(({ chosen }) => chosen === null);
    if (isOpen && (facets.types.length === 0 || facets.types.join() === 'object')) {
      return { control: { kind: 'nothing' }, value: undefined };
    }
    return controlOf(this.texts(spot.pointer), facets, preset);
  }

  private group(spot: Spot, reading: PlaceReading, facets: Facets, preset: JsonValue | undefined) {
    if (this.isClosed(spot, reading, preset)) return { control: { kind: 'closed' } as const, value: undefined };
    const value = isJsonObject(spot.value) ? spot.value : {};
    const presets = isJsonObject(preset) ? preset : {};
    const fields = [...facets.members].map(([name, pointers]) =>
      this.fieldAt({
        pointer: pointerTo(spot.pointer, name),
        pointers,
        name,
        required: facets.required.has(name),
        value: own(value, name),
        preset: own(presets, name),
        level: spot.level + 1,
        around: this.around(spot, reading),
        ...(reading.implied.has(name) ? { implied: reading.implied.get(name) ?? null } : {}),
      }),
    );
    const names = [...facets.members.keys()];
    const members = fields.flatMap((field, index): [string, JsonValue][] =>
      field.value === undefined ? [] : [[names[index] ?? '', field.value]],
    );
    const isLeftOut = members.length === 0 && !spot.required;
    return {
      control: { kind: 'group', fields } as const,
      value: isLeftOut ? undefined : Object.fromEntries(members),
    };
  }

  /** A part that could go on for ever opens one level at a time, and only where somebody wants it. */
  private isClosed(
    { pointer, around, required }: Spot,
    { parts }: PlaceReading,
    preset: JsonValue | undefined,
  ): boolean {
    const comesBack = parts.some((part) => around.includes(part.pointer));
    return comesBack && !required && preset === undefined && this.texts(steering.opened(pointer)) === undefined;
  }

  private around({ around }: Spot, { parts }: PlaceReading): readonly string[] {
    return [...around, ...parts.map(({ pointer }) => pointer)];
  }

  private list(spot: Spot, reading: PlaceReading, facets: Facets, preset: JsonValue | undefined) {
    const { items, positions } = facets;
    if (positions.length > 0) return this.tuple(spot, reading, facets, preset);
    if (items.length === 0) return null;
    const choices = this.choices(spot, facets, preset);
    if (choices !== null) return choices;
    const presets: readonly JsonValue[] = Array.isArray(preset) ? preset : [];
    const atFirst = Math.max(presets.length, spot.required ? facets.fewestItems : 0);
    const count = Math.min(rowsOf(this.draft, spot.pointer) ?? atFirst, MOST_ROWS);
    const rows = this.itemFields(
      spot,
      reading,
      Array.from({ length: count }, () => items),
      presets,
      spot.value,
    );
    const value = rows.flatMap((row) => (row.value === undefined ? [] : [row.value]));
    const mayAdd = count < Math.min(facets.mostItems ?? MOST_ROWS, MOST_ROWS);
    return {
      control: { kind: 'list', rowsName: steering.rows(spot.pointer), rows, mayAdd } as const,
      value: value.length === 0 && !spot.required ? undefined : value,
    };
  }

  /** A list of options of which each counts once is a set of boxes. */
  private choices(spot: Spot, facets: Facets, preset: JsonValue | undefined) {
    if (!facets.uniqueItems) return null;
    const items = readPlace({
      inspection: this.inspection,
      pointers: facets.items,
      value: undefined,
      choose: () => null,
    });
    const { options } = facetsOf(items, undefined);
    if (options === null || options.length > MOST_ROWS) return null;
    const presets = Array.isArray(preset) ? preset.map((one) => JSON.stringify(one)) : [];
    const posted = this.texts(spot.pointer) ?? presets;
    const chosen = options.filter(({ token }) => posted.includes(token));
    return {
      control: { kind: 'choices', options, chosen: chosen.map(({ token }) => token) } as const,
      value: chosen.length === 0 && !spot.required ? undefined : chosen.map(({ value }) => value),
    };
  }

  /** What is missing in the middle is `null`, so that what follows keeps its place. */
  private tuple(spot: Spot, reading: PlaceReading, facets: Facets, preset: JsonValue | undefined) {
    const presets: readonly JsonValue[] = Array.isArray(preset) ? preset : [];
    const fields = this.itemFields(spot, reading, facets.positions, presets, spot.value);
    const last = fields.findLastIndex((field) => field.value !== undefined);
    const value = fields.slice(0, last + 1).map((field) => field.value ?? null);
    return {
      control: { kind: 'tuple', fields } as const,
      value: value.length === 0 && !spot.required ? undefined : value,
    };
  }

  private itemFields(
    spot: Spot,
    reading: PlaceReading,
    items: readonly (readonly string[])[],
    presets: readonly JsonValue[],
    before: JsonValue | undefined,
  ): Field[] {
    const values: readonly JsonValue[] = Array.isArray(before) ? before : [];
    let filled = 0;
    return items.map((pointers, row) => {
      const field = this.fieldAt({
        pointer: pointerTo(spot.pointer, row),
        pointers,
        name: null,
        required: false,
        // Empty rows are left out of the answer, so what stood in a row stands further up there.
        value: values[filled],
        preset: presets[row],
        level: spot.level + 1,
        around: this.around(spot, reading),
      });
      if (field.value !== undefined) filled++;
      return field;
    });
  }

  /** Where `null` is an answer that must be given, leaving the field empty cannot stand for it. */
  private withNone(
    { pointer, required }: Spot,
    facets: Facets,
    value: JsonValue | undefined,
  ): Pick<Field, 'none' | 'value'> {
    if (!facets.nullable || !required || facets.readOnly) return { none: null, value };
    const name = steering.none(pointer);
    const posted = this.texts(name);
    const chosen = posted === undefined ? facets.preset === null : posted.includes('yes');
    return { none: { name, chosen }, value: value === undefined && chosen ? null : value };
  }
}

function branchChoice(pointer: string, { nth, branches, chosen }: PlaceReading['forks'][number]): BranchChoice {
  return {
    name: steering.branch(pointer, nth),
    options: branches.map(({ label }, index) => ({ token: String(index), label })),
    chosen: chosen === null ? null : String(chosen),
  };
}

/** A default chooses the alternative that it fits, if that is one alone. */
function presetBranch(inspection: SchemaInspection, branches: readonly string[], preset: JsonValue | undefined) {
  if (preset === undefined) return null;
  const fitting = branches.flatMap((branch, index) => (inspection.fitsAt(branch, preset) ? [index] : []));
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
