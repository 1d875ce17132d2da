import { Shown } from '../text.js';
import { Choices, NoneBox } from './alternatives.js';
import { describedBy, type FieldProps, fieldId, hintOf, Marks, titleOf } from './field-words.js';

/** A field with one control. */
export function Single(props: FieldProps) {
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
      if (control.input === 'long') return <textarea {...attributes} rows={6} value={asMarkup(control.text)} />;
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

/** Browsers leave the first line end of a text area out when they read a page. */
function asMarkup(text: string): string {
  return text.startsWith('\n') ? `\n${text}` : text;
}
