export interface BackOff {
  /** Pause after the first failure, in milliseconds; it doubles with each that follows. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * The pause before the next try, in milliseconds: between half and all of a doubling span, so that processes that lost
 * the same thing at the same moment do not come back together.
 *
 * @param failures in a row, from 1.
 * @param fraction random, in [0, 1).
 */
export function backOffMs({ firstMs, longestMs }: BackOff, failures: number, fraction: number): number {
  const span = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return span * (0.5 + fraction / 2);
}
