import { timestamp } from '../event-store/clock.js';
import { StoreUnavailable } from '../event-store/errors.js';
import type { Streams } from '../event-store/streams.js';
import type { ContextRefusal } from '../governance/ceiling.js';
import type { LiveTool } from '../governance/live-tools.js';
import { ModelCallFailed, type OfferedTool } from '../models/model-provider.js';
import { MOST_ATTEMPTS } from '../run/decisions/claim-run.js';
import { type AnswerFacts, MAX_CALLS_PER_TURN, recordModelAnswer } from '../run/turn-plan.js';
import { elapsed } from './elapsed.js';
import type { Asked, LiveRecords, RunSurroundings } from './live-records.js';
import { retryAt } from './retry.js';
import type { Segment } from './segment.js';
import type { SegmentLog } from './segment-log.js';

/** The step that asks the model, and what comes of an answer, of a failure and of a ceiling that was exceeded. */
export class ModelStep {
  constructor(
    private readonly streams: Streams,
    private readonly live: LiveRecords,
    private readonly log: SegmentLog,
  ) {}

  async ask(segment: Segment, closing: AnswerFacts['closing'], surroundings: RunSurroundings): Promise<void> {
    const { offered } = surroundings;
    const { clock, entropy } = this.streams;
    const run = segment.run();
    const startedAt = clock.now();
    let providerAskedAt = startedAt;
    let asked: Asked;
    try {
      asked = await this.live.ask(
        run,
        surroundings,
        {
          messages: segment.transcript.messages,
          tools: closing === null ? offered.map(offeredToModel) : [],
          options: run.options,
          answerIndex: run.modelAnswers,
          signal: segment.signal,
        },
        ({ failureClass, retryable }) => {
          this.log.modelFailed(run.runId, failureClass, retryable, elapsed(providerAskedAt, clock.now()));
          providerAskedAt = clock.now();
        },
      );
    } catch (error) {
      if (segment.signal.aborted) return segment.giveUp();
      // Not the provider's failure: its configuration could not be looked up.
      if (error instanceof StoreUnavailable) throw error;
      return this.modelFailed(segment, error, elapsed(providerAskedAt, clock.now()));
    }
    // The step is decided again, on the records as they are now.
    if (asked.outcome === 'changed') return;
    if (asked.outcome === 'blocked') return this.contextBlocked(segment, asked.over);
    const { answer, contextObserved } = asked;
    if (answer.calls.length > MAX_CALLS_PER_TURN) {
      return segment.fail('not_retryable', 'malformed_answer', 'at_model_call');
    }
    this.log.modelAnswered(elapsed(providerAskedAt, clock.now()));
    const events = recordModelAnswer(run, {
      ...answer,
      durationMs: elapsed(startedAt, clock.now()),
      contextObserved,
      offered: offered.map(({ declaration, approvalBound }) => ({
        name: declaration.name,
        approvalBound,
        inputSchema: declaration.inputSchema ?? null,
      })),
      isRegistered: (name) => this.live.isRegistered(name),
      closing,
      nonce: entropy.token(16),
    });
    const pauses = events.some((event) => event.type === 'RunSuspendedForInput');
    await segment.appendOrFail(events, pauses ? ['suspend_failed', 'at_pause'] : ['provider_failed', 'at_model_call']);
  }

  /** Nobody is there to hand the run back to: an operator mends the records, and the run is started anew (SRC-6). */
  private async contextBlocked(segment: Segment, { source, dataClass, zone }: ContextRefusal): Promise<void> {
    const blocking = { sourceId: source, dataClass, zone };
    const failed = { reason: 'context_blocked', errorClass: 'none', detail: 'at_model_call', ...blocking } as const;
    await segment.append([{ type: 'RunFailed', data: failed }]);
  }

  /** Retryable failures requeue the run with a growing delay, others end it; three without progress end it too (CLM-5). */
  private async modelFailed(segment: Segment, error: unknown, durationMs: number): Promise<void> {
    if (!(error instanceof ModelCallFailed)) {
      this.log.unexpected(segment.run().runId, 'model_call', error);
      return segment.fail('provider_failed', 'internal', 'at_model_call');
    }
    const run = segment.run();
    this.log.modelFailed(run.runId, error.failureClass, error.retryable, durationMs);
    if (!error.retryable) {
      const reason = error.failureClass === 'misconfigured' ? 'provider_failed' : 'not_retryable';
      return segment.fail(reason, error.failureClass, 'at_model_call');
    }
    // A call that was not made is no attempt.
    const attempt = error.failureClass === 'circuit_open' ? run.attempts : run.attempts + 1;
    if (attempt > MOST_ATTEMPTS) {
      return segment.fail('retries_exhausted', error.failureClass, 'at_model_call');
    }
    const { clock, entropy } = this.streams;
    const notBefore = timestamp(
      retryAt(clock.now(), Math.max(attempt, 1), error.retryAfterMs ?? 0, entropy.fraction()),
    );
    await segment.append([{ type: 'RunRequeued', data: { reason: error.failureClass, attempt, notBefore } }]);
    this.log.requeued(run.runId, error.failureClass);
  }
}

function offeredToModel({ declaration: { name, description, parameters } }: LiveTool): OfferedTool {
  return { name, description, parameters };
}
