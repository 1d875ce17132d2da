/** Longest wait that a client can ask for, in seconds. */
const LONGEST_WAIT_SECONDS = 60;

/** Nobody has so many preferences; what is longer is not read. */
const LONGEST_HEADER = 1_000;

/**
 * The `wait` preference (RFC 7240) in seconds, at most {@link LONGEST_WAIT_SECONDS}; null where there is none. As the
 * standard wants it, what is not understood is passed over and the first of several counts.
 */
export function preferredWait(header = ''): number | null {
  if (header.length > LONGEST_HEADER) return null;
  for (const preference of splitUnquoted(header, ',')) {
    const [first = ''] = splitUnquoted(preference, ';');
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*$/i.exec(first) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), LONGEST_WAIT_SECONDS);
  }
  return null;
}

function splitUnquoted(text: string, separator: ',' | ';'): string[] {
  const parts = text.match(separator === ',' ? /(?:"(?:[^"\\]|\\.)*"|[^,])+/g : /(?:"(?:[^"\\]|\\.)*"|[^;])+/g);
  return parts ?? [];
}
