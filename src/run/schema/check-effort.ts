/**
 * How much work one check of a value against a schema may cost.
 *
 * A small schema can ask for work that doubles with each level of a value (two branches that both refer back to the root), and a long
 * string can be matched against hundreds of patterns. Time would say so only on a clock; counting says so the same way on every
 * machine. Checks are synchronous, hence one counter for the process is enough.
 */

/** Thrown out of a running check when its effort is spent; never leaves this folder. */
export class EffortSpent extends Error {
  override readonly name = 'EffortSpent';
}

let remaining = Number.POSITIVE_INFINITY;

/** One unit is about the time of one keyword on a small value, 0.1 µs. */
export function spendEffort(units: number): void {
  remaining -= units;
  if (remaining < 0) throw new EffortSpent();
}

/** Runs `check` with so many units. @throws {EffortSpent} when it takes more. */
export function withEffort<Result>(units: number, check: () => Result): Result {
  const outer = remaining;
  remaining = units;
  try {
    return check();
  } finally {
    remaining = outer;
  }
}
