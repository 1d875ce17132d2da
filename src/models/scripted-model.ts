import { setTimeout as delay } from 'node:timers/promises';
import { failureOfStatus } from './failure-class.js';
import type { AnsweredCall, ModelAnswer, ModelClient, ModelRequest } from './model-provider.js';
import type { ScriptedCall, ScriptedProvider } from './provider-configuration.js';

/** Waits some milliseconds; rejects as soon as the signal is aborted. Simulations give one that runs on their clock. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits by the clock on the wall. */
export const waitInRealTime: Wait = (ms, signal) => delay(ms, undefined, { signal });

/** What a script says once its turns are used up. */
const PAST_THE_END = 'done';

/**
 * Answers from a script: the n-th model call of a run by the turn whose index is the number of answers that the run has
 * already (`answerIndex`), so that a run which is resumed or recovered goes on where it was. It keeps no state, and calls
 * tools whether or not they were offered, as a real model may (LIF-5).
 */
export class ScriptedModel implements ModelClient {
  constructor(
    private readonly script: ScriptedProvider,
    private readonly wait: Wait,
  ) {}

  async ask({ answerIndex, signal }: ModelRequest): Promise<ModelAnswer> {
    signal.throwIfAborted();
    const turn = this.script.turns[answerIndex] ?? { text: PAST_THE_END };
    if (turn.delayMs !== undefined && turn.delayMs > 0) await this.pass(turn.delayMs, signal);
    if (turn.error !== undefined) throw failureOfStatus(turn.error.status);
    return {
      model: this.script.kind,
      text: turn.text ?? '',
      calls: (turn.calls ?? []).map(answeredCall),
      usage: { inputTokens: 0, outputTokens: 0 },
    };
  }

  /** Whatever the wait rejects with, the caller that aborted hears its own reason. */
  private async pass(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.wait(ms, signal);
    } finally {
      signal.throwIfAborted();
    }
  }
}

function answeredCall(call: ScriptedCall): AnsweredCall {
  return {
    ...(call.callId === undefined ? {} : { callId: call.callId }),
    toolName: call.toolName,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  };
}
