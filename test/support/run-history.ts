import type { Decision } from '../../src/events/decider.js';
import type { NewRunEvent, RunEvent, RunEventType } from '../../src/events/run-events.js';
import { evolve, NOT_STARTED } from '../../src/run/evolve.js';
import type { RunState, StartedRun } from '../../src/run/run-state.js';

/*
 * Histories for decision tests: events as decisions make them, recorded one a second from `EPOCH` on. Content is not
 * sealed here; the fold never looks at it.
 */

export const EPOCH_MS = Date.parse('2030-01-01T00:00:00.000Z');

/** When the event at a revision was recorded. */
export function at(revision: number): string {
  return new Date(EPOCH_MS + revision * 1_000).toISOString();
}

export function recorded(events: readonly NewRunEvent[]): RunEvent[] {
  return events.map(
    (event, revision) =>
      ({
        id: `event-${revision}`,
        stream: 'run-r1',
        revision,
        position: BigInt(revision),
        at: at(revision),
        actor: { kind: 'system', id: 'test' },
        correlationId: 'c1',
        schemaVersion: 1,
        type: event.type,
        data: event.data,
        ...('content' in event ? { sealed: 'sealed' } : {}),
      }) as RunEvent,
  );
}

export function given(...events: NewRunEvent[]): RunState {
  return recorded(events).reduce(evolve, NOT_STARTED);
}

/** A history that leads to a run of the given status. */
export function givenA<Status extends StartedRun['status']>(
  status: Status,
  ...events: NewRunEvent[]
): StartedRun & { readonly status: Status } {
  const state = given(...events);
  if (state.status !== status) throw new Error(`the history leads to ${state.status}, not to ${status}`);
  return state as StartedRun & { readonly status: Status };
}

/** The events of an accepted decision; anything else is a failed test. */
export function eventsOf(decision: Decision<RunEventType, unknown, unknown>): readonly NewRunEvent[] {
  if (decision.outcome !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(decision)}`);
  return decision.events;
}

type DataOf<Type extends NewRunEvent['type']> = Extract<NewRunEvent, { readonly type: Type }>['data'];

export const DIGEST = 'a'.repeat(64);
export const MAC = 'm'.repeat(43);

export function runStarted(data: Partial<DataOf<'RunStarted'>> = {}): NewRunEvent {
  return {
    type: 'RunStarted',
    data: {
      ownerId: 'olga',
      configurationId: 'demo',
      allowedTools: null,
      maxIterations: 5,
      options: {},
      forcedSnippetIds: [],
      forcedSkillIds: [],
      sourceIds: [],
      skippedSourceIds: [],
      requestMac: null,
      ...data,
    },
    content: { messages: [{ role: 'user', content: 'hello' }] },
  };
}

export function runClaimed(data: Partial<DataOf<'RunClaimed'>> = {}): NewRunEvent {
  return {
    type: 'RunClaimed',
    data: { claimId: 'claim-1', workerId: 'w1', leaseExpiresAt: at(60), attempt: 0, ...data },
  };
}

export function modelResponded(
  calls: DataOf<'ModelResponded'>['calls'],
  data: Partial<DataOf<'ModelResponded'>> = {},
): NewRunEvent {
  return {
    type: 'ModelResponded',
    data: { iteration: 1, model: 'm', usage: { inputTokens: 3, outputTokens: 2 }, durationMs: 10, ...data, calls },
    content: { text: 'text', calls: calls.map(({ callId }) => ({ callId, toolName: 'tool', arguments: {} })) },
  };
}

export const INPUT_SCHEMA = {
  type: 'object',
  properties: { date: { type: 'string' }, floor: { type: 'integer' } },
  required: ['date'],
} as const;

export function suspendedForInput(...callIds: string[]): NewRunEvent {
  const requests = callIds.map((callId) => ({ callId, toolName: 'ask', inputSchema: INPUT_SCHEMA }));
  return { type: 'RunSuspendedForInput', data: { turnDigest: DIGEST, requests }, content: { nonce: 'n' } };
}

export function suspendedForApproval(...callIds: string[]): NewRunEvent {
  const requests = callIds.map((callId) => ({ callId, toolName: 'refund', effect: 'non_idempotent_write' as const }));
  return {
    type: 'RunSuspendedForApproval',
    data: { turnDigest: DIGEST, requests },
    content: { nonce: 'n', previews: [] },
  };
}

export function inputSubmitted(data: Partial<DataOf<'InputSubmitted'>> = {}): NewRunEvent {
  return {
    type: 'InputSubmitted',
    data: { submittedBy: 'sam', turnDigest: DIGEST, answerMac: MAC, ...data },
    content: { answers: {} },
  };
}

export function approvalDecided(approved: boolean): NewRunEvent {
  return {
    type: 'ApprovalDecided',
    data: { approved, decidedBy: 'sam', turnDigest: DIGEST, answerMac: MAC },
    content: { comment: null },
  };
}

export function callStarted(callId: string, effect: DataOf<'ToolCallStarted'>['effect']): NewRunEvent {
  return { type: 'ToolCallStarted', data: { callId, toolName: 'refund', effect }, content: { arguments: {} } };
}

export function callCompleted(callId: string): NewRunEvent {
  return {
    type: 'ToolCallCompleted',
    data: { callId, toolName: 'look', outcome: 'ok', refusal: null, durationMs: 1 },
    content: { content: 'result' },
  };
}

export const completed: NewRunEvent = {
  type: 'RunCompleted',
  data: { reason: 'finished', truncated: false, usage: { inputTokens: 3, outputTokens: 2 } },
  content: { text: 'bye' },
};

/** A run that waits for input to each of the calls. */
export function waitingForInput(...callIds: string[]): NewRunEvent[] {
  const calls = callIds.map((callId) => ({ callId, toolName: 'ask', disposition: 'input' as const }));
  return [runStarted(), runClaimed(), modelResponded(calls), suspendedForInput(...callIds)];
}
