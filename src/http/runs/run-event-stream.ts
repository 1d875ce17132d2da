import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mayAttempt } from '../../governance/access.js';
import type { Principal } from '../../governance/principal.js';
import { GetRun } from '../../projections/runs/get-run.query.js';
import { GetTimeline, type TimelineEntry } from '../../projections/runs/get-timeline.query.js';
import { BearerTokens } from '../bearer-tokens.js';
import { Limits } from '../limits/limits.js';
import { EventStream } from '../streams/event-stream.js';
import { Stopping } from '../streams/stopping.js';

/** Entries that are read at once; the permission is asked again before each. */
const PART = 100;

/** How long one look waits for something new, in milliseconds. */
const LOOK_MS = 30_000;

/** Behind every entry: asked only whether the run may be read. */
const NOTHING = { after: Number.MAX_SAFE_INTEGER - 1, limit: 0 } as const;

/** With one of these the stream ends. Of a settled run only its content can still be erased. */
const LAST: ReadonlySet<string> = new Set(['RunCompleted', 'RunFailed', 'RunCancelled', 'RunContentErased']);

const NO_CONTENT = 204;

/** What happened in a run and what happens from now on, until it is settled, the client goes, or may read it no more. */
@Injectable()
export class RunEventStream {
  constructor(
    private readonly queries: QueryBus,
    private readonly tokens: BearerTokens,
    private readonly limits: Limits,
    private readonly stopping: Stopping,
  ) {}

  /**
   * @param entries what is there by now, read for the caller of the request
   * @throws {Problem} `rate-limited` where the caller has too many streams open
   */
  async answer(
    caller: Principal,
    request: FastifyRequest,
    reply: FastifyReply,
    runId: string,
    after: number,
    entries: readonly TimelineEntry[],
  ): Promise<void> {
    // Whoever comes back after the end is told so in the one way that makes a browser's `EventSource` come no more.
    if (entries.length === 0 && (await this.isOver(caller, runId))) {
      await reply.status(NO_CONTENT).send();
      return;
    }
    const leave = this.limits.takeStreamPlace(caller.id);
    const stream = new EventStream(reply, this.stopping.signal);
    const { ended: signal } = stream;
    let last = after;
    let part: readonly TimelineEntry[] | null = entries;
    try {
      while (part !== null && !signal.aborted) {
        for (const entry of part) {
          if (!(await this.mayStillRead(request, runId))) return;
          await stream.send({ id: String(entry.sequence), data: entry });
          if (signal.aborted || LAST.has(entry.type)) return;
          last = entry.sequence;
        }
        const reader = await this.callerNow(request);
        if (reader === null || (part.length === 0 && (await this.isOver(reader, runId)))) return;
        part = await this.queries.execute(
          new GetTimeline(reader, runId, { after: last, limit: PART, waitMs: LOOK_MS, signal }),
        );
      }
    } finally {
      stream.end();
      leave();
    }
  }

  /** Whether nothing more will happen that a stream waits for, or nothing that this caller may know of. */
  private async isOver(caller: Principal, runId: string): Promise<boolean> {
    const run = await this.queries.execute(new GetRun(caller, runId));
    return run === null || run.outcome !== undefined;
  }

  private async mayStillRead(request: FastifyRequest, runId: string): Promise<boolean> {
    const caller = await this.callerNow(request);
    return caller !== null && (await this.queries.execute(new GetTimeline(caller, runId, NOTHING))) !== null;
  }

  /** Whose the token is at this moment: it may have been revoked since the stream began (SUB-6). */
  private async callerNow({ headers }: FastifyRequest): Promise<Principal | null> {
    const token = (headers.authorization ?? '').replace(/^Bearer +/i, '').trim();
    const caller = await this.tokens.principalOf(token);
    return caller !== null && mayAttempt(caller, 'read') ? caller : null;
  }
}

/** Whether a client wants the events as a stream. */
export function wantsStream(accept: string | undefined): boolean {
  return /(?:^|,)\s*text\/event-stream\b/i.test((accept ?? '').slice(0, 500));
}

/** Where a client that was cut off goes on; null for what is no id of ours. */
export function lastEventId(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : null;
}
