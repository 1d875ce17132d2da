/*
 * Half a surrogate pair is a character that UTF-8 cannot hold. A model can send one, as a JSON escape; stored, hashed or
 * sent on as it is, it would come back as another text than it went.
 */

const LONE_SURROGATES = /\p{Surrogate}/gu;

/** The text with every lone surrogate replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATES, '\uFFFD');
}

/** JSON text with every lone surrogate written as its escape: the same JSON, in characters that UTF-8 can hold. */
export function wellFormedJsonText(text: string): string {
  return text.replace(LONE_SURROGATES, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}
