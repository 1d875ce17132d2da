import type { EventDeclaration, Schema, Upcaster } from './catalogue.js';
import { list, orNull, record } from './record-schema.js';
import type { RunEventType } from './run-events.js';

/*
 * The JSON Schema of each event's clear fields and of its content, checked before every append and after every read.
 * Strings that could be content have no place among clear fields: ids have a pattern, reasons come from fixed lists.
 */

const id: Schema = { type: 'string', minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9_.:@-]+$' };
const callId: Schema = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
const toolName: Schema = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
const time: Schema = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' };
const digest: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const mac: Schema = { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' };
const count: Schema = { type: 'integer', minimum: 0 };
const effect: Schema = { enum: ['read_only', 'idempotent_write', 'non_idempotent_write'] };
const text: Schema = { type: 'string' };
const object: Schema = { type: 'object' };

const usage = record({ inputTokens: count, outputTokens: count });
const options = record(
  {
    temperature: { type: 'number' },
    topP: { type: 'number' },
    maxOutputTokens: { type: 'integer', minimum: 1 },
    seed: { type: 'integer' },
  },
  ['temperature', 'topP', 'maxOutputTokens', 'seed'],
);
const errorClass: Schema = {
  enum: [
    'none',
    'timeout',
    'rate_limited',
    'server_error',
    'connection',
    'bad_request',
    'unauthorized',
    'not_found',
    'malformed_answer',
    'misconfigured',
    'circuit_open',
    'worker_lost',
    'worker_stopped',
    'event_too_large',
    'unusable_schema',
    'unreadable_content',
    'digest_mismatch',
    'content_erased',
    'internal',
  ],
};

/** What the ceiling stopped a run over (SRC-2). */
const word: Schema = { type: 'string', pattern: '^[a-z_]{1,40}$' };
const blocked = { sourceId: id, dataClass: word, zone: word };

/** Runs of version 1 did not say which sources went into their prompt: they resume as if there had been none (SRC-5). */
const withoutSources: Upcaster = (older) => ({
  forcedSnippetIds: [],
  forcedSkillIds: [],
  sourceIds: [],
  skippedSourceIds: [],
  ...older,
});

export const RUN_EVENTS: { readonly [Name in RunEventType['type']]: EventDeclaration } = {
  RunStarted: {
    schemaVersion: 2,
    data: record({
      ownerId: id,
      configurationId: id,
      allowedTools: orNull(list(toolName)),
      maxIterations: { type: 'integer', minimum: 1, maximum: 20 },
      options,
      forcedSnippetIds: list(id),
      forcedSkillIds: list(id),
      sourceIds: list(id),
      skippedSourceIds: list(id),
      requestMac: orNull(mac),
    }),
    sealedWith: 'working',
    content: record({
      messages: list(record({ role: { enum: ['system', 'user', 'assistant'] }, content: text })),
    }),
    upcasters: { 1: { data: withoutSources } },
  },
  RunClaimed: {
    schemaVersion: 1,
    data: record({ claimId: id, workerId: id, leaseExpiresAt: time, attempt: count }),
  },
  LeaseExtended: { schemaVersion: 1, data: record({ claimId: id, leaseExpiresAt: time }) },
  ModelResponded: {
    schemaVersion: 1,
    data: record(
      {
        iteration: { type: 'integer', minimum: 1 },
        model: { type: 'string', maxLength: 200 },
        usage,
        durationMs: count,
        contextObserved: { type: 'boolean' },
        calls: list(
          record({
            callId,
            toolName: orNull(toolName),
            disposition: { enum: ['run', 'approval', 'input', 'not_offered', 'malformed'] },
          }),
        ),
      },
      ['contextObserved'],
    ),
    sealedWith: 'working',
    content: record({
      text,
      calls: list(record({ callId, toolName: text, arguments: { anyOf: [object, text] } })),
    }),
  },
  ToolCallStarted: {
    schemaVersion: 1,
    data: record({ callId, toolName, effect }),
    sealedWith: 'working',
    content: record({ arguments: object }),
  },
  ToolCallCompleted: {
    schemaVersion: 1,
    data: record({
      callId,
      toolName: orNull(toolName),
      outcome: { enum: ['ok', 'error', 'refused'] },
      refusal: {
        enum: [
          'not_offered',
          'unknown_tool',
          'malformed_arguments',
          'invalid_arguments',
          'input_not_provided',
          'not_approved',
          'denied',
          'no_longer_permitted',
          'tool_failed',
          null,
        ],
      },
      durationMs: count,
    }),
    sealedWith: 'working',
    content: record({ content: text }),
  },
  RunSuspendedForApproval: {
    schemaVersion: 1,
    data: record({ turnDigest: digest, requests: list(record({ callId, toolName, effect })) }),
    sealedWith: 'working',
    content: record({ nonce: text, previews: list(record({ callId, lines: list(text) })) }),
  },
  RunSuspendedForInput: {
    schemaVersion: 1,
    data: record({ turnDigest: digest, requests: list(record({ callId, toolName, inputSchema: object })) }),
    sealedWith: 'working',
    content: record({ nonce: text }),
  },
  RunSuspendedForResolution: { schemaVersion: 1, data: record({ callId, toolName }) },
  ApprovalDecided: {
    schemaVersion: 1,
    data: record({ approved: { type: 'boolean' }, decidedBy: id, turnDigest: digest, answerMac: mac }),
    sealedWith: 'working',
    content: record({ comment: orNull(text) }),
  },
  InputSubmitted: {
    schemaVersion: 1,
    data: record({ submittedBy: id, turnDigest: digest, answerMac: mac }),
    sealedWith: 'working',
    content: record({ answers: object }),
  },
  CallResolved: {
    schemaVersion: 1,
    data: record({ callId, verdict: { enum: ['executed', 'not_executed', 'fail'] }, resolvedBy: id }),
    sealedWith: 'working',
    content: record({ result: {}, note: text }),
  },
  RunReleased: {
    schemaVersion: 1,
    data: record(
      {
        reason: {
          enum: [
            'submitter_not_permitted',
            'approver_not_permitted',
            'self_approval',
            'context_blocked',
            'configuration_gone',
          ],
        },
        toolName,
        ...blocked,
      },
      ['toolName', 'sourceId', 'dataClass', 'zone'],
    ),
  },
  RunRequeued: { schemaVersion: 1, data: record({ reason: errorClass, attempt: count, notBefore: time }) },
  RunCompleted: {
    schemaVersion: 1,
    data: record({ reason: { enum: ['finished', 'max_iterations'] }, truncated: { type: 'boolean' }, usage }),
    sealedWith: 'outcome',
    content: record({ text }),
  },
  RunFailed: {
    schemaVersion: 1,
    data: record(
      {
        reason: {
          enum: [
            'suspend_failed',
            'context_blocked',
            'configuration_gone',
            'corrupt_state',
            'provider_failed',
            'retries_exhausted',
            'not_retryable',
            'uncertain_write',
          ],
        },
        errorClass,
        detail: { enum: ['at_model_call', 'at_pause', 'at_claim', 'at_tool_call', 'at_resolution'] },
        ...blocked,
      },
      ['detail', 'sourceId', 'dataClass', 'zone'],
    ),
  },
  RunCancelled: { schemaVersion: 1, data: record({ cancelledBy: id }) },
  RunContentErased: {
    schemaVersion: 1,
    data: record({ scope: { enum: ['working', 'outcome'] }, reason: { enum: ['settled', 'age', 'request'] } }),
  },
};
