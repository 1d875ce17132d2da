import { Injectable, Logger } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { Principal } from '../../governance/principal.js';
import { AwaitRun } from '../../projections/runs/await-run.query.js';
import { GetRun, type RunView } from '../../projections/runs/get-run.query.js';
import { Limits } from '../limits/limits.js';
import { Stopping } from '../streams/stopping.js';

/** What a command on a run was accepted with. */
export interface AcceptedOnRun {
  readonly outcome: 'accepted' | 'nothing_to_do';
  readonly runId: string;
  readonly position: bigint;
}

/** What a client is told after a command on a run: when the run stands again, or as soon as its reads know of the write. */
@Injectable()
export class RunAnswers {
  private readonly logger = new Logger('RunAnswers');

  constructor(
    private readonly queries: QueryBus,
    private readonly limits: Limits,
    private readonly stopping: Stopping,
  ) {}

  /**
   * The run once it waits for a person or is settled; null where it does neither within the wait that the client
   * preferred, where the client went away or the service stops, where it may not read the run, or where it waits in too many places already:
   * the preference is then not applied (RFC 7240), since what was accepted must not be answered with a refusal.
   *
   * @param waitSeconds null or 0: the client prefers no wait; its next read knows of the write all the same
   */
  async standing(
    principal: Principal,
    accepted: AcceptedOnRun,
    waitSeconds: number | null,
    reply: FastifyReply,
  ): Promise<RunView | null> {
    const waits = waitSeconds !== null && waitSeconds > 0;
    const leave = waits ? this.limits.takeWaitingPlace(principal.id) : null;
    if (!waits || leave === null) {
      if (accepted.outcome === 'accepted') await this.untilReadsKnow(principal, accepted);
      return null;
    }
    reply.header('Preference-Applied', `wait=${waitSeconds}`);
    try {
      const signal = noLongerWaiting(reply, this.stopping.signal);
      return await this.stood(principal, accepted, { timeoutMs: waitSeconds * 1_000, signal });
    } finally {
      leave();
    }
  }

  private async stood(
    principal: Principal,
    { runId, position }: AcceptedOnRun,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<RunView | null> {
    const options = { atLeast: position, ...limits };
    const run = await this.unlessReadsFail(() => this.queries.execute(new AwaitRun(principal, runId, options)));
    return run !== null && (run.pause !== undefined || run.outcome !== undefined) ? run : null;
  }

  private async untilReadsKnow(principal: Principal, { runId, position }: AcceptedOnRun): Promise<void> {
    await this.unlessReadsFail(() => this.queries.execute(new GetRun(principal, runId, { atLeast: position })));
  }

  /** What was written stays written: a read that fails after it must not tell the client that the command failed. */
  private async unlessReadsFail(read: () => Promise<RunView | null>): Promise<RunView | null> {
    try {
      return await read();
    } catch (error) {
      this.logger.warn({ err: error }, 'a run could not be read after a command on it');
      return null;
    }
  }
}

/** Fires when the client is gone before it was answered, and when the service stops. */
function noLongerWaiting({ raw }: FastifyReply, stopping: AbortSignal): AbortSignal {
  const over = new AbortController();
  const end = () => over.abort();
  stopping.addEventListener('abort', end, { once: true });
  raw.once('close', () => {
    stopping.removeEventListener('abort', end);
    if (!raw.writableFinished) end();
  });
  if (raw.destroyed || stopping.aborted) end();
  return over.signal;
}
