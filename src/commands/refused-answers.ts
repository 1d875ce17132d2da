import { Injectable, Logger } from '@nestjs/common';
import { RevisionConflict } from '../event-store/errors.js';
import { Streams } from '../event-store/streams.js';
import { type AnswerRefused, REFUSAL_STREAM_PREFIX, type RefusalCode } from '../events/refusal-events.js';
import { type RecordKind, RecordReader } from '../governance/records.js';
import type { ToolDenial } from '../governance/tool-gate.js';
import { describeFailure } from '../logging/describe-failure.js';
import {
  decideRecordRefusal,
  type RecordedRefusals,
  type RefusedAttempt,
  refusalsFold,
} from '../run/decisions/record-refusal.js';
import type { RunState } from '../run/run-state.js';

const REFUSALS: RecordKind<RecordedRefusals, AnswerRefused> = {
  streamPrefix: REFUSAL_STREAM_PREFIX,
  fold: refusalsFold,
  mostRemembered: 32,
};

/** How often an attempt is decided on anew because another was recorded first. */
const MOST_TRIES = 40;

/** How long a refusal waits for a store that is away before it is told without having been recorded, in milliseconds. */
const PATIENCE_MS = 1_000;

/** Who tried to answer what, and how. */
export interface Attempt {
  readonly runId: string;
  readonly principalId: string;
  readonly answer: RefusedAttempt['answer'];
  readonly correlationId: string;
}

/** An outcome of a command, as far as recording refusals goes. */
type Judged =
  | { readonly outcome: 'accepted' | 'nothing_to_do' }
  | { readonly outcome: 'rejected'; readonly rejection: { readonly code: string }; readonly state: RunState };

/** The members of a rejection that a permission was refused by. */
interface PermissionRefused {
  readonly code: RefusalCode;
  readonly toolName?: string | null;
  readonly reason?: string;
  readonly source?: string;
  readonly dataClass?: string;
  readonly zone?: string;
}

const PERMISSION_CODES: ReadonlySet<string> = new Set<RefusalCode>([
  'submitter_not_permitted',
  'approver_not_permitted',
  'self_approval',
  'context_blocked',
]);

/**
 * Remembers who was refused permission to answer which run, and why (SUB-9), in a stream beside the run's own. An answer
 * to another turn, or to a run that waits for nobody, is no question of permission and is not recorded; nor is one to a
 * run that the caller may not reach, for whom it does not exist.
 */
@Injectable()
export class RefusedAnswers {
  private readonly logger = new Logger('RefusedAnswers');

  constructor(
    private readonly streams: Streams,
    private readonly records: RecordReader,
  ) {}

  /**
   * To be awaited before the refusal is told. Never throws: what could not be recorded goes to the log instead, and the
   * refusal stays what it is.
   */
  async record(attempt: Attempt, judged: Judged): Promise<void> {
    if (judged.outcome !== 'rejected' || !isPermissionRefused(judged.rejection)) return;
    const refused = refusedAttempt(attempt, judged.rejection, judged.state);
    if (refused === null) return;
    try {
      if ((await this.append(attempt, refused)) === 'only_counted') this.logger.warn(told(attempt, refused), MANY);
    } catch (failure) {
      this.logger.error({ ...told(attempt, refused), ...describeFailure(failure) }, NOT_RECORDED);
    }
  }

  private async append({ runId, principalId, correlationId }: Attempt, refused: RefusedAttempt) {
    for (let tries = 1; ; tries += 1) {
      // From memory and the tail: the thousandth refusal costs what the first did.
      const { stream, state, revision } = await this.records.read(REFUSALS, runId);
      const decision = decideRecordRefusal(state, refused);
      if (decision.outcome === 'rejected') throw new Error('recording a refusal is never rejected');
      if (decision.outcome === 'nothing_to_do') return decision.reply;
      try {
        const context = { actor: { kind: 'principal', id: principalId }, correlationId } as const;
        const giveUpAt = this.streams.clock.now() + PATIENCE_MS;
        await this.streams.append(stream, revision, decision.events, context, () => giveUpAt);
        return decision.reply;
      } catch (error) {
        if (!(error instanceof RevisionConflict) || tries >= MOST_TRIES) throw error;
        await this.streams.clock.wait(this.streams.entropy.fraction() * Math.min(2 ** tries, 50));
      }
    }
  }
}

const MANY = 'an answer was refused; attempts of this sort are no longer recorded one by one';
const NOT_RECORDED = 'an answer was refused, which could not be recorded';

/** What the log says in place of the record: ids, names of registered tools and reasons from fixed lists. */
function told({ runId, correlationId }: Attempt, { turnDigest: _digest, ...attempt }: RefusedAttempt): object {
  return { runId, ...attempt, correlationId };
}

function isPermissionRefused(rejection: { readonly code: string }): rejection is PermissionRefused {
  return PERMISSION_CODES.has(rejection.code);
}

/** Null where there is no pause, which a refusal of permission never comes without. */
function refusedAttempt(
  { principalId, answer }: Attempt,
  { code, toolName, reason, source, dataClass, zone }: PermissionRefused,
  state: RunState,
): RefusedAttempt | null {
  if (state.status !== 'waiting_for_input' && state.status !== 'waiting_for_approval') return null;
  return {
    attemptedBy: principalId,
    answer,
    refusal: code,
    reason: code === 'submitter_not_permitted' || code === 'approver_not_permitted' ? (reason as ToolDenial) : null,
    // A refusal that names no tool does so with an empty name.
    toolName: toolName === undefined || toolName === '' ? null : toolName,
    sourceId: source ?? null,
    dataClass: dataClass ?? null,
    zone: zone ?? null,
    turnDigest: state.pause.turnDigest,
  };
}
