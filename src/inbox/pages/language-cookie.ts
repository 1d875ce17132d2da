/** Remembers the language that somebody chose. It is a wish, not a secret. */
export const LANGUAGE_COOKIE = /(?:^|;\s*)holdpoint-language=(en|de)(?:;|$)/;
