import type { ComponentChildren } from 'preact';
import { editValue, type FormEdit } from '../form/draft.js';
import type { BranchChoice, Control, Field } from '../form/field.js';
import type { FormFault } from '../form/form-faults.js';
import type { Catalogue } from '../messages/en.js';
import { faultSentence, lookUp } from '../messages/fault-sentence.js';
import { Shown } from './text.js';

interface FieldProps {
  readonly field: Field;
  readonly faults: readonly FormFault[];
  readonly t: Catalogue;
  /** What a field without a title is called. */
  readonly name?: string;
}

/** The id of the control of a field: any pointer, written so that lists of ids can hold it. */
function fieldId(pointer: string): string {
  return `f${encodeURIComponent(pointer)}`;
}

/** A field with its label, its hint and what is wrong with it. */
function FormField(props: FieldProps) {
  const { field, t } = props;
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
      return <Single {...props} key={t.language} />;
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

function titleOf({ field, name }: FieldProps): string {
  return field.title ?? name ?? '';
}

function faultsAt({ field, faults }: FieldProps): readonly FormFault[] {
  return faults.filter((fault) => fault.field === field.pointer);
}

function Marks({ field, t }: FieldProps) {
  return <span class="quiet marker">{field.required ? t.form.required : t.form.optional}</span>;
}

/** The hint and the faults of a field, and the ids under which the control refers to them: only those that are there. */
function describedBy(props: FieldProps, hint: ComponentChildren) {
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

function hintOf({ field, t }: FieldProps): ComponentChildren {
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

/** A field with one control. */
function Single(props: FieldProps) {
  const { field } = props;
  const id = fieldId(field.pointer);
  const { attributes, hint, fault } = describedBy(props, hintOf(props));
  return (
    <div class="field" data-field={field.pointer}>
      <label for={id}>
        <Shown text={titleOf(props)} /> <Marks {...props} />
      </label>
      {hint}
      {fault}
      <Choices {...props} />
      <Input {...props} attributes={{ id, name: field.pointer, ...attributes }} />
      <NoneBox {...props} />
    </div>
  );
}

type ControlAttributes = { readonly id: string; readonly name: string } & Readonly<Record<string, string | boolean>>;

function Input({ field, t, attributes }: FieldProps & { readonly attributes: ControlAttributes }) {
  const { control } = field;
  const plain = { autocomplete: 'off', spellcheck: false, required: false } as const;
  switch (control.kind) {
    case 'text':
      if (control.input === 'long') return <textarea {...attributes} rows={6} value={control.text} />;
      return (
        <input
          {...attributes}
          {...plain}
          type={control.input === 'date' ? 'date' : 'text'}
          inputMode={control.input === 'email' ? 'email' : control.input === 'url' ? 'url' : 'text'}
          value={control.text}
          dir="auto"
        />
      );
    case 'number':
      return (
        <input
          {...attributes}
          {...plain}
          type="text"
          inputMode={control.whole ? 'numeric' : 'decimal'}
          value={control.text}
          class="short"
        />
      );
    case 'choice':
      return (
        <select {...attributes} data-steers="">
          <option value="" selected={control.chosen === null}>
            {t.form.choose}
          </option>
          {control.options.map(({ token, label }) => (
            <option key={token} value={token} selected={token === control.chosen}>
              {label}
            </option>
          ))}
        </select>
      );
    case 'json':
      return <textarea {...attributes} {...plain} rows={5} class="code" value={control.text} />;
    default:
      return null;
  }
}

/** `null` as an answer of its own, where leaving the field empty would be none. */
function NoneBox({ field, t }: FieldProps) {
  if (field.none === null) return null;
  return (
    <>
      <input type="hidden" name={field.none.name} value="" />
      <label class="option">
        <input type="checkbox" name={field.none.name} value="yes" checked={field.none.chosen} />
        {t.form.none}
      </label>
    </>
  );
}

interface OptionsProps extends FieldProps {
  readonly options: {
    readonly as: Extract<Control, { kind: 'choice' }>['as'];
    readonly options: readonly { readonly token: string; readonly label: string }[];
    readonly chosen: string | null | readonly string[];
  };
  readonly many: boolean;
}

/** Options that are all on the page. Nothing is chosen for the person; an empty companion says that they were asked. */
function Options(props: OptionsProps) {
  const { field, options, many, t } = props;
  const id = fieldId(field.pointer);
  const { attributes, hint, fault } = describedBy(props, hintOf(props));
  const { 'aria-invalid': invalid, ...described } = attributes;
  const isBox = many || options.as === 'confirm';
  const isChosen = (token: string) =>
    typeof options.chosen === 'string' ? options.chosen === token : options.chosen?.includes(token) === true;
  return (
    <fieldset class="field options" id={id} tabIndex={-1} data-field={field.pointer} {...described}>
      <legend>
        <Shown text={titleOf(props)} /> <Marks {...props} />
      </legend>
      {hint}
      {fault}
      <Choices {...props} />
      <input type="hidden" name={field.pointer} value="" />
      {options.options.map(({ token, label }) => (
        <label class="option" key={token}>
          <input
            type={isBox ? 'checkbox' : 'radio'}
            name={field.pointer}
            value={token}
            checked={isChosen(token)}
            data-steers=""
            {...(invalid === undefined ? {} : { 'aria-invalid': true })}
          />
          <Shown text={optionLabel(options.as, token, label, t)} />
        </label>
      ))}
      <NoneBox {...props} />
    </fieldset>
  );
}

function optionLabel(as: OptionsProps['options']['as'], token: string, label: string, t: Catalogue): string {
  if (as === 'yes_no') return token === 'true' ? t.form.yes : t.form.no;
  return as === 'confirm' && token === 'true' ? t.form.confirm : label;
}

/** Which alternative the answer is to be. */
function Choices(props: FieldProps) {
  const { field, t } = props;
  return (
    <>
      {field.choices.map((choice) => (
        <BranchOptions key={choice.name} choice={choice} label={`${titleOf(props)} ${t.form.which}`.trim()} t={t} />
      ))}
    </>
  );
}

function BranchOptions({
  choice,
  label,
  t,
}: {
  readonly choice: BranchChoice;
  readonly label: string;
  readonly t: Catalogue;
}) {
  return (
    <fieldset class="field options" id={fieldId(choice.name)} tabIndex={-1} data-field={choice.name}>
      <legend>
        <Shown text={label} />
      </legend>
      <input type="hidden" name={choice.name} value="" />
      {choice.options.map(({ token, label: text }) => (
        <label class="option" key={token}>
          <input type="radio" name={choice.name} value={token} checked={token === choice.chosen} data-steers="" />
          <Shown text={text ?? t.form.alternative(Number(token) + 1)} />
        </label>
      ))}
    </fieldset>
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

interface SummaryProps {
  readonly faults: readonly { readonly fault: FormFault; readonly name: string | null }[];
  readonly t: Catalogue;
}

/** All that has to be corrected, with a link to each place; it takes the focus. */
export function FaultSummary({ faults, t }: SummaryProps) {
  return (
    <section class="notice bad" id="notice" tabIndex={-1} role="alert" autofocus>
      <h2>{t.faults.title(faults.length)}</h2>
      <p>{t.faults.lead}</p>
      <ul>
        {faults.map(({ fault, name }, index) => (
          <li key={`${fault.pointer}${index}`}>
            {fault.field === null || name === null ? (
              <>
                {fault.pointer === '' ? t.faults.whole : <code>{fault.pointer}</code>} {faultSentence(t, fault)}.
              </>
            ) : (
              <a href={`#${fieldId(fault.field)}`}>
                <Shown text={name} /> {faultSentence(t, fault)}.
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
