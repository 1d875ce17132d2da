import type { ComponentChildren } from 'preact';
import type { Control, Field } from '../../form/field.js';
import type { FormFault } from '../../form/form-faults.js';
import type { Catalogue } from '../../messages/en.js';
import { faultSentence, lookUp } from '../../messages/fault-sentence.js';
import { Shown } from '../text.js';

/*
 * What is said of a field: its name, whether it must be filled in, what goes there, and what is wrong with it.
 */

export interface FieldProps {
  readonly field: Field;
  readonly faults: readonly FormFault[];
  readonly t: Catalogue;
  /** What a field without a title is called. */
  readonly name?: string;
}

/** The id of the control of a field: any pointer, written so that lists of ids can hold it. */
export function fieldId(pointer: string): string {
  return `f${encodeURIComponent(pointer)}`;
}

export function titleOf({ field, name }: FieldProps): string {
  return field.title ?? name ?? '';
}

function faultsAt({ field, faults }: FieldProps): readonly FormFault[] {
  return faults.filter((fault) => fault.field === field.pointer);
}

export function Marks({ field, t }: FieldProps) {
  return <span class="quiet marker">{field.required ? t.form.required : t.form.optional}</span>;
}

/** The hint and the faults of a field, and the ids under which the control refers to them: only those that are there. */
export function describedBy(props: FieldProps, hint: ComponentChildren) {
  const id = fieldId(props.field.pointer);
  const faults = faultsAt(props);
  const ids = [...(hint === null ? [] : [`${id}-hint`]), ...(faults.length === 0 ? [] : [`${id}-fault`])];
  return {
    attributes: {
      ...(ids.length === 0 ? {} : { 'aria-describedby': ids.join(' ') }),
      ...(faults.length === 0 ? {} : { 'aria-invalid': true }),
    },
    hint:
      hint === null ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ),
    fault:
      faults.length === 0 ? null : (
        <p class="fault" id={`${id}-fault`}>
          {faults.map((fault, index) => (
            <span key={`${fault.keyword}${index}`}>
              {titleOf(props)} {faultSentence(props.t, fault)}.{' '}
            </span>
          ))}
        </p>
      ),
  };
}

export function hintOf({ field, t }: FieldProps): ComponentChildren {
  const own = field.description === null ? null : <Shown text={field.description} />;
  const more = formatHint(field.control, t);
  if (own === null && more === null) return null;
  return (
    <>
      {own}
      {own !== null && more !== null ? ' ' : ''}
      {more}
    </>
  );
}

function formatHint(control: Control, t: Catalogue): string | null {
  if (control.kind === 'number') return control.whole ? t.form.hints.integer : t.form.hints.number;
  if (control.kind === 'json') return t.form.json;
  if (control.kind !== 'text') return null;
  const [example] = control.examples;
  if (example !== undefined) return t.form.example(example);
  if (control.format === null || control.input === 'date') return null;
  return Object.hasOwn(t.form.hints, control.format) ? lookUp(t.form.hints, control.format) : null;
}
