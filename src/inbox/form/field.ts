import type { JsonValue } from '../../events/json.js';
import type { Option } from './alternatives.js';

/** A field of a form: a place of an answer, what may be put there, and what has been put there so far. */
export interface Field {
  /** Name of its control: the JSON pointer of its value on the page, where empty rows count. */
  readonly pointer: string;
  /** The member's title, or its name; null for the whole answer and for a row. */
  readonly title: string | null;
  readonly description: string | null;
  readonly required: boolean;
  /** Where its schema is; a choice for it may be open. */
  readonly parts: readonly string[];
  readonly choices: readonly BranchChoice[];
  /** Offers `null` as the answer, which is not the same as none. */
  readonly none: { readonly name: string; readonly chosen: boolean } | null;
  readonly control: Control;
  /** What goes into the answer; undefined where nothing does. */
  readonly value: JsonValue | undefined;
}

/** Which of several alternatives the answer is to be. */
export interface BranchChoice {
  readonly name: string;
  readonly options: readonly { readonly token: string; readonly label: string | null }[];
  readonly chosen: string | null;
}

export type TextInput = 'text' | 'date' | 'email' | 'url' | 'long';

export type Control =
  | {
      readonly kind: 'text';
      readonly input: TextInput;
      readonly format: string | null;
      readonly text: string;
      readonly examples: readonly string[];
    }
  | {
      readonly kind: 'number';
      readonly whole: boolean;
      readonly text: string;
      /** A number that not every reader would take for the same. */
      readonly inexact: boolean;
    }
  /** One of several; `confirm` is a single box to be ticked. */
  | {
      readonly kind: 'choice';
      readonly as: 'radios' | 'select' | 'confirm' | 'yes_no';
      readonly options: readonly Option[];
      readonly chosen: string | null;
    }
  | { readonly kind: 'choices'; readonly options: readonly Option[]; readonly chosen: readonly string[] }
  | { readonly kind: 'group'; readonly fields: readonly Field[] }
  | { readonly kind: 'list'; readonly rowsName: string; readonly rows: readonly Field[]; readonly mayAdd: boolean }
  | { readonly kind: 'tuple'; readonly fields: readonly Field[] }
  | { readonly kind: 'json'; readonly text: string; readonly unreadable: boolean }
  /** Shown and not asked: the schema says what it is. */
  | { readonly kind: 'fixed'; readonly shown: boolean }
  /** A part that may contain itself, and opens when it is wanted. */
  | { readonly kind: 'closed' }
  /** Nothing to fill in until an alternative was chosen. */
  | { readonly kind: 'nothing' };

/** The fields directly inside a field. */
export function innerFields({ control }: Field): readonly Field[] {
  switch (control.kind) {
    case 'group':
    case 'tuple':
      return control.fields;
    case 'list':
      return control.rows;
    default:
      return [];
  }
}

/** A field and all fields in it, from the top of the page to its end. */
export function* allFields(field: Field): Generator<Field> {
  yield field;
  for (const inner of innerFields(field)) yield* allFields(inner);
}
