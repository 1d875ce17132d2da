import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../http/problems/problem.js';
import { RunIdPipe } from '../../http/runs/run-id.pipe.js';
import { Notice } from '../parts/notice.js';
import { PagesForSignedIn } from './page.decorators.js';
import { RunPage } from './run-page.js';
import { RunReader } from './run-reader.js';
import type { Visit } from './visit.js';
import { queryOf, Visits } from './visits.js';

/** The page of one run: what it asks, what it came to. It can be linked to, also after it was answered. */
@PagesForSignedIn()
@Controller('inbox/runs')
export class RunController {
  constructor(
    private readonly visits: Visits,
    private readonly runs: RunReader,
  ) {}

  @Get(':id')
  async show(
    @Param('id', RunIdPipe) runId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const content = await this.runs.read(this.visits.callerOf(request), runId);
    if (content === null) throw new Problem('run-not-found');
    const visit = this.visits.of(request);
    const notice = noticeOf(visit, queryOf(request).get('done'));
    this.visits.show(reply, <RunPage visit={visit} content={{ ...content, notice }} />);
  }
}

/** What the person has just done; the address holds only a word that stands for it. */
function noticeOf({ t: { answered } }: Visit, done: string | null) {
  switch (done) {
    case 'answered':
      return (
        <Notice tone="good" title={answered.sent}>
          <p>{answered.sentNext}</p>
        </Notice>
      );
    case 'started':
    case 'cancelled':
    case 'resolved':
      return <Notice tone="good" title={answered[done]} />;
    default:
      return null;
  }
}
