import type { Control } from '../../form/field.js';
import type { Catalogue } from '../../messages/en.js';
import { Shown } from '../text.js';
import { Choices, NoneBox } from './alternatives.js';
import { describedBy, type FieldProps, fieldId, hintOf, Marks, titleOf } from './field-words.js';

interface OptionsProps extends FieldProps {
  readonly options: {
    readonly as: Extract<Control, { kind: 'choice' }>['as'];
    readonly options: readonly { readonly token: string; readonly label: string }[];
    readonly chosen: string | null | readonly string[];
  };
  readonly many: boolean;
}

/** Options that are all on the page. Nothing is chosen for the person; an empty companion says that they were asked. */
export function Options(props: OptionsProps) {
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
