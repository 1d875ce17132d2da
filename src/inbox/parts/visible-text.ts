/** A stretch of text as it is, or characters in a row that nobody would see. */
export type Stretch =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'hidden'; readonly code: string; readonly times: number };

/**
 * Characters that show as nothing or turn their neighbours around: controls, directions, joiners and spaces of no width,
 * line separators, fillers, tags and variation selectors that no emoji uses, and halves of surrogate pairs.
 */
const HIDDEN =
  /\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0/u;

/** Makes a sign a picture; what it does is seen. */
const PICTURE_SELECTOR = '\ufe0f';

/** Line ends and tabs are seen for what they are. */
const SEEN = new Set(['\n', '\t', PICTURE_SELECTOR]);

const PICTURE = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;

/** Splits a text so that every hidden character can be shown as a mark; the same ones in a row are one mark. */
export function stretches(text: string): readonly Stretch[] {
  if (!HIDDEN.test(text)) return text === '' ? [] : [{ kind: 'plain', text }];
  const found: Stretch[] = [];
  const characters = [...text];
  let plain = '';
  for (const [index, character] of characters.entries()) {
    if (!isHidden(characters, index)) {
      plain += character;
      continue;
    }
    if (plain !== '') found.push({ kind: 'plain', text: plain });
    plain = '';
    const code = codeOf(character);
    const last = found.at(-1);
    if (last?.kind === 'hidden' && last.code === code) found[found.length - 1] = { ...last, times: last.times + 1 };
    else found.push({ kind: 'hidden', code, times: 1 });
  }
  if (plain !== '') found.push({ kind: 'plain', text: plain });
  return found;
}

export function hasHidden(text: string): boolean {
  return stretches(text).some(({ kind }) => kind === 'hidden');
}

function isHidden(characters: readonly string[], index: number): boolean {
  const character = characters[index] ?? '';
  if (SEEN.has(character) || !HIDDEN.test(character)) return false;
  // What joins pictures into one picture is seen as that picture.
  if (character !== '\u200d') return true;
  return !(PICTURE.test(characters[index - 1] ?? '') && PICTURE.test(characters[index + 1] ?? ''));
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
