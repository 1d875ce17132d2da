import type { EventDeclaration, Schema } from './catalogue.js';
import { orNull, record } from './record-schema.js';
import type { AnswerRefused } from './refusal-events.js';

const id: Schema = { type: 'string', minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9_.:@-]+$' };
const toolName: Schema = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
const word: Schema = { type: 'string', pattern: '^[a-z_]{1,40}$' };
const digest: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };

/** The JSON Schema of what is recorded of refused answers, checked before every append and after every read. */
export const REFUSAL_EVENTS: { readonly [Name in AnswerRefused['type']]: EventDeclaration } = {
  AnswerRefused: {
    schemaVersion: 1,
    data: record({
      attemptedBy: id,
      answer: { enum: ['input', 'approval', 'denial'] },
      refusal: { enum: ['submitter_not_permitted', 'approver_not_permitted', 'self_approval', 'context_blocked'] },
      reason: orNull({
        enum: [
          'principal_unknown',
          'principal_disabled',
          'service_account',
          'not_registered',
          'tool_disabled',
          'not_allowed_by_configuration',
          'admins_only',
          'data_class_above_ceiling',
        ],
      }),
      toolName: orNull(toolName),
      sourceId: orNull(id),
      dataClass: orNull(word),
      zone: orNull(word),
      turnDigest: digest,
    }),
  },
};
