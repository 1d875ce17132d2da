import { editValue, type FormEdit } from '../../form/draft.js';
import type { Field } from '../../form/field.js';
import { Shown } from '../text.js';
import { Choices, NoneBox } from './alternatives.js';
import { describedBy, type FieldProps, fieldId, hintOf, Marks, titleOf } from './field-words.js';
import { Options } from './options.js';
import { Single } from './single-control.js';

/** A field with its label, its hint and what is wrong with it. */
function FormField(props: FieldProps) {
  const { field } = props;
  const { control } = field;
  switch (control.kind) {
    case 'fixed':
      return control.shown ? <FixedField {...props} /> : null;
    case 'group':
    case 'tuple':
    case 'list':
    case 'closed':
    case 'nothing':
      return <Part {...props} />;
    case 'choice':
      return control.as === 'select' ? <Single {...props} /> : <Options {...props} options={control} many={false} />;
    case 'choices':
      return <Options {...props} options={{ ...control, as: 'radios' }} many={true} />;
    default:
      return <Single {...props} />;
  }
}

/** The fields of a whole answer, without a frame around them. */
export function RootFields({ field, faults, t }: FieldProps) {
  const { control } = field;
  return (
    <>
      <Choices field={field} faults={faults} t={t} />
      {control.kind === 'group' && control.fields.length === 0 && field.choices.length === 0 ? (
        <p class="quiet">{t.form.asksNothing}</p>
      ) : null}
      {control.kind === 'group'
        ? control.fields.map((inner) => <FormField key={inner.pointer} field={inner} faults={faults} t={t} />)
        : null}
    </>
  );
}

/** A part of the answer that has fields of its own. */
function Part(props: FieldProps) {
  const { field, faults, t } = props;
  const { control } = field;
  const { attributes, hint, fault } = describedBy(props, hintOf(props));
  const { 'aria-invalid': _invalid, ...described } = attributes;
  return (
    <fieldset class="part" id={fieldId(field.pointer)} tabIndex={-1} data-field={field.pointer} {...described}>
      <legend>
        <Shown text={titleOf(props)} /> <Marks {...props} />
      </legend>
      {hint}
      {fault}
      <Choices {...props} />
      {control.kind === 'group'
        ? control.fields.map((inner) => <FormField key={inner.pointer} field={inner} faults={faults} t={t} />)
        : null}
      {control.kind === 'tuple'
        ? control.fields.map((inner, at) => (
            <FormField key={inner.pointer} field={inner} faults={faults} t={t} name={t.form.position(at + 1)} />
          ))
        : null}
      {control.kind === 'list' ? (
        <>
          <input type="hidden" name={control.rowsName} value={String(control.rows.length)} />
          {control.rows.map((row, at) => (
            <div class="row" key={row.pointer} data-field={`row ${row.pointer}`}>
              <FormField field={row} faults={faults} t={t} name={t.form.row(at + 1)} />
              <EditButton
                edit={{ kind: 'remove_row', pointer: field.pointer, row: at }}
                text={t.form.remove(at + 1)}
                about={titleOf(props)}
              />
            </div>
          ))}
          {control.mayAdd ? (
            <EditButton edit={{ kind: 'add_row', pointer: field.pointer }} text={t.form.add} about={titleOf(props)} />
          ) : null}
        </>
      ) : null}
      {control.kind === 'closed' ? (
        <EditButton edit={{ kind: 'open', pointer: field.pointer }} text={t.form.open} about={titleOf(props)} />
      ) : null}
      {control.kind === 'group' && field.pointer !== '' ? <OpenedMark field={field} /> : null}
      <NoneBox {...props} />
    </fieldset>
  );
}

/** A part that was opened stays so. */
function OpenedMark({ field }: { readonly field: Field }) {
  return <input type="hidden" name={`opened ${field.pointer}`} value="yes" />;
}

function EditButton({ edit, text, about }: { readonly edit: FormEdit; readonly text: string; readonly about: string }) {
  return (
    <button
      type="submit"
      class="small"
      name="intent"
      value={editValue(edit)}
      data-edits=""
      aria-label={`${text}: ${about}`}
    >
      {text}
    </button>
  );
}

function FixedField(props: FieldProps) {
  const { field, t } = props;
  return (
    <div class="field" data-field={field.pointer}>
      <p class="label">
        <Shown text={titleOf(props)} /> <span class="quiet">{t.form.fixed}</span>
      </p>
      <p>
        <code>
          <Shown text={field.value === undefined ? t.form.noValue : JSON.stringify(field.value)} />
        </code>
      </p>
    </div>
  );
}
