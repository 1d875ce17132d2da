import type { BranchChoice } from '../../form/field.js';
import type { Catalogue } from '../../messages/en.js';
import { Shown } from '../text.js';
import { type FieldProps, fieldId, titleOf } from './field-words.js';

/** Which alternative the answer is to be. */
export function Choices(props: FieldProps) {
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

/** `null` as an answer of its own, where leaving the field empty would be none. */
export function NoneBox({ field, t }: FieldProps) {
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
