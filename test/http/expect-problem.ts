import type { ProblemCode } from '../../src/http/problems/problem.js';
import { PROBLEMS } from '../../src/http/problems/problem.js';
import type { HttpAnswer } from './http-service.js';

/** The one shape of every problem; `members` are what it says besides. */
export function expectProblem(answer: HttpAnswer, code: ProblemCode, members: object = {}): void {
  const { status, title } = PROBLEMS[code];
  expect(answer.body).toEqual({
    type: `urn:holdpoint:problem:${code}`,
    title,
    status,
    code,
    detail: expect.stringMatching(/^[A-Z].+\.$/),
    ...members,
  });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json(;|$)/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

/** An `invalid-request` at these places; messages never repeat what was sent. */
export function expectFaults(answer: HttpAnswer, ...pointers: readonly string[]): void {
  expectProblem(answer, 'invalid-request', {
    errors: pointers.map((pointer) => ({ pointer, message: expect.any(String) })),
  });
}
