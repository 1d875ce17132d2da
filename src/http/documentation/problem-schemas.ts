import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { PROBLEMS, type ProblemCode, problemType } from '../problems/problem.js';

type Members = Record<string, SchemaObject | ReferenceObject>;

const text: SchemaObject = { type: 'string' };

function faults(members: Members): SchemaObject {
  return { type: 'array', items: { type: 'object', required: Object.keys(members), properties: members } };
}

const correlationId: SchemaObject = { type: 'string', description: 'Under which the log says more.' };

/** What problems say beyond their code. */
const MEMBERS: { readonly [Code in ProblemCode]?: Members } = {
  'invalid-request': { errors: faults({ pointer: text, message: text }) },
  'submitter-not-permitted': { toolName: text, reason: text },
  'not-awaiting-input': { runStatus: { $ref: '#/components/schemas/RunStatus' } },
  'already-answered': { answeredAt: { type: 'string', format: 'date-time' } },
  'stale-turn': { pause: { $ref: '#/components/schemas/PauseSummary' } },
  'run-settled': { runStatus: { $ref: '#/components/schemas/RunStatus' } },
  'context-blocked': { source: text, dataClass: text, zone: text },
  'invalid-input': {
    errors: faults({ callId: text, pointer: text, keyword: text, message: text }),
    truncated: { type: 'boolean', description: 'There are more errors than these.' },
  },
  internal: { correlationId },
  'store-unavailable': { correlationId },
  'issuer-unavailable': { correlationId },
  'not-ready': {
    checks: { type: 'object', additionalProperties: { enum: ['up', 'down'] } },
    because: { type: 'array', items: { type: 'string' } },
  },
};

export function problemSchemaName(code: ProblemCode): string {
  return `Problem.${code}`;
}

/** One component for each problem. */
export function problemSchemas(): Record<string, SchemaObject> {
  return Object.fromEntries(
    (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => [problemSchemaName(code), problemSchema(code)]),
  );
}

function problemSchema(code: ProblemCode): SchemaObject {
  const { status, title, detail } = PROBLEMS[code];
  return {
    type: 'object',
    description: detail,
    required: ['type', 'title', 'status', 'code', 'detail'],
    properties: {
      type: { type: 'string', enum: [problemType(code)] },
      title: { type: 'string', enum: [title] },
      status: { type: 'integer', enum: [status] },
      code: { type: 'string', enum: [code] },
      detail: text,
      ...MEMBERS[code],
    },
  };
}
