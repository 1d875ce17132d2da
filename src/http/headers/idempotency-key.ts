import { invalidRequest } from '../problems/problem.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,200}$/;

/** The `Idempotency-Key` header; null where there is none. @throws {Problem} `invalid-request` */
export function idempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (VISIBLE_ASCII.test(header)) return header;
  throw invalidRequest([{ pointer: '', message: 'Idempotency-Key must have 1 to 200 visible ASCII characters' }]);
}
