import { Controller, Get, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { reaches } from '../../governance/access.js';
import type { Principal } from '../../governance/principal.js';
import { Limits } from '../../http/limits/limits.js';
import { Problem } from '../../http/problems/problem.js';
import { EventStream } from '../../http/streams/event-stream.js';
import { Stopping } from '../../http/streams/stopping.js';
import { type RunChange, WatchRuns } from '../../projections/runs/watch-runs.query.js';
import { InboxSessions } from '../session/inbox-sessions.js';
import { PagesForSignedIn } from './page.decorators.js';

/** Tells the pages of one browser which runs have changed; what has changed, they read as everything else. */
@PagesForSignedIn()
@Controller('inbox/stream')
export class StreamController {
  constructor(
    private readonly sessions: InboxSessions,
    private readonly queries: QueryBus,
    private readonly limits: Limits,
    private readonly stopping: Stopping,
  ) {}

  @Get()
  async follow(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = await this.sessions.sessionOf(request);
    if (viewer === null) throw new Problem('unauthenticated');
    const leave = this.limits.takeStreamPlace(viewer.id);
    const stream = new EventStream(reply, this.stopping.signal);
    try {
      for await (const changes of await this.queries.execute(new WatchRuns(stream.ended))) {
        for (const change of changes) {
          // Asked again before each event: a session that was ended is told nothing more (SUB-6).
          const caller = await this.sessions.sessionOf(request);
          if (caller === null) return;
          if (maySee(caller, change)) await stream.send({ name: 'change', data: { runId: change.runId } });
        }
      }
    } finally {
      stream.end();
      leave();
    }
  }
}

/** Whoever saw a run wait learns that it does so no more, and nothing else of it. */
function maySee(caller: Principal, { ownerId, waiting, hasPaused }: RunChange): boolean {
  return reaches(caller, 'read', { ownerId, waiting: waiting || hasPaused });
}
