import type { JsonObject } from '../../src/events/json.js';
import type { CallContent, NewRunEvent } from '../../src/events/run-events.js';
import { turnDigest } from '../../src/run/turn-digest.js';
import { INPUT_SCHEMA, modelResponded, runClaimed, runStarted } from './run-history.js';

/*
 * Runs that wait for a person, with content and digest as a segment records them.
 */

const NONCE = 'AAECAwQFBgcICQoLDA0ODw';

export const LOOK: CallContent = { callId: 'c1', toolName: 'look', arguments: { at: 1 } };
export const ASK: CallContent = { callId: 'c2', toolName: 'ask', arguments: { topic: 'delivery', date: 'soon' } };
export const REFUND: CallContent = { callId: 'c2', toolName: 'refund', arguments: { cents: 5 } };

function answered(calls: readonly CallContent[], disposition: 'input' | 'approval'): NewRunEvent {
  const recorded = calls.map(({ callId, toolName }) => ({
    callId,
    toolName,
    disposition: callId === 'c2' ? disposition : ('run' as const),
  }));
  return { ...modelResponded(recorded), content: { text: 'let me ask', calls } } as NewRunEvent;
}

export interface AskingOptions {
  readonly inputSchema?: JsonObject;
  readonly turnDigest?: string;
  /** The calls as sealed; what is recorded in the clear stays. */
  readonly sealed?: readonly CallContent[];
}

/** Waits for input to `c2`. */
export function askingForInput({ inputSchema = INPUT_SCHEMA, ...other }: AskingOptions = {}): NewRunEvent[] {
  const calls = [LOOK, ASK];
  const requests = [{ callId: 'c2', toolName: 'ask', inputSchema }];
  const digest = other.turnDigest ?? turnDigest({ kind: 'input', nonce: NONCE, calls, requests });
  const responded = answered(calls, 'input');
  return [
    runStarted(),
    runClaimed(),
    other.sealed === undefined
      ? responded
      : ({ ...responded, content: { text: 'let me ask', calls: other.sealed } } as NewRunEvent),
    { type: 'RunSuspendedForInput', data: { turnDigest: digest, requests }, content: { nonce: NONCE } },
  ];
}

/** Waits for approval of `c2`. */
export function askingForApproval(): NewRunEvent[] {
  const calls = [LOOK, REFUND];
  const requests = [{ callId: 'c2', toolName: 'refund', effect: 'non_idempotent_write' as const }];
  const digest = turnDigest({ kind: 'approval', nonce: NONCE, calls, requests });
  const previews = [{ callId: 'c2', lines: ['Refunds 5 cents.'] }];
  return [
    runStarted(),
    runClaimed(),
    answered(calls, 'approval'),
    { type: 'RunSuspendedForApproval', data: { turnDigest: digest, requests }, content: { nonce: NONCE, previews } },
  ];
}

/** Waits for somebody who finds out whether the write of `c2` happened. */
export function askingForResolution(): NewRunEvent[] {
  return [
    ...askingForApproval().slice(0, 3),
    {
      type: 'ToolCallStarted',
      data: { callId: 'c2', toolName: 'refund', effect: 'non_idempotent_write' },
      content: { arguments: { cents: 5, currency: 'EUR' } },
    },
    { type: 'RunSuspendedForResolution', data: { callId: 'c2', toolName: 'refund' } },
  ];
}
