import { z } from 'zod';

/** An empty variable is one that was not set: that is how compose files and unit files leave them out. */
export function variable<Value extends z.ZodType>(value: Value) {
  return z.preprocess((text) => (text === '' ? undefined : text), value);
}

export function wholeNumber(from: number, to: number, fallback: number) {
  const message = `must be a whole number from ${from} to ${to}`;
  return variable(
    z
      .string()
      .regex(/^\d{1,9}$/, message)
      .transform(Number)
      .refine((number) => number >= from && number <= to, message)
      .default(fallback),
  );
}
