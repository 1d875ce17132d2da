import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { PROBLEM_MEDIA_TYPE, PROBLEMS, type ProblemCode } from '../problems/problem.js';
import { problemSchemaName } from './problem-schemas.js';

/** What every call that needs a token can come to. */
const OF_EVERY_CALL: readonly ProblemCode[] = [
  'unauthenticated',
  'forbidden',
  'rate-limited',
  'internal',
  'store-unavailable',
  'issuer-unavailable',
];

/** What every call with a body can come to besides. */
const OF_EVERY_BODY: readonly ProblemCode[] = ['invalid-request', 'payload-too-large', 'unsupported-media-type'];

/** Documents the problems of a call that needs a token, besides those that all such calls have. */
export function CallProblems(...codes: readonly ProblemCode[]) {
  return documented([...OF_EVERY_CALL, ...codes]);
}

/** The same for a call that takes a body. */
export function BodyCallProblems(...codes: readonly ProblemCode[]) {
  return documented([...OF_EVERY_CALL, ...OF_EVERY_BODY, ...codes]);
}

/** Documents exactly these problems. */
export function OnlyProblems(...codes: readonly ProblemCode[]) {
  return documented(codes);
}

function documented(codes: readonly ProblemCode[]) {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of new Set(codes)) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return applyDecorators(...[...byStatus].map(([status, sameStatus]) => response(status, sameStatus)));
}

function response(status: number, codes: readonly ProblemCode[]) {
  const schemas = codes.map((code) => ({ $ref: `#/components/schemas/${problemSchemaName(code)}` }));
  const [only, ...others] = schemas;
  return ApiResponse({
    status,
    description: codes.map((code) => `\`${code}\``).join(', '),
    content: {
      [PROBLEM_MEDIA_TYPE]: { schema: only !== undefined && others.length === 0 ? only : { oneOf: schemas } },
    },
  });
}
