import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../governance/principal.js';
import { GetPause } from '../../projections/runs/get-pause.query.js';
import { GetRun } from '../../projections/runs/get-run.query.js';
import { GetTimeline } from '../../projections/runs/get-timeline.query.js';
import { ListInbox } from '../../projections/runs/list-inbox.query.js';
import { ListRuns } from '../../projections/runs/list-runs.query.js';
import { MayAttempt } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { Caller } from '../caller.js';
import { CallProblems } from '../documentation/problem-responses.js';
import { pageOrProblem } from '../problems/page-problem.js';
import { Problem } from '../problems/problem.js';
import { ListInboxQuery, ListRunsQuery, pageRequest, runFilter, TimelineQuery, timelinePart } from './list.queries.js';
import { InboxBody, PauseBody, TimelineBody } from './pause.body.js';
import { RunBody, RunListBody } from './run.body.js';
import { lastEventId, RunEventStream, wantsStream } from './run-event-stream.js';
import { RunIdPipe } from './run-id.pipe.js';

/** Calls that read runs and change nothing. */
@ApiTags('runs')
@ApiBearerAuth()
@Controller(API_PATH)
export class RunReadsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly stream: RunEventStream,
  ) {}

  @Get('runs')
  @MayAttempt('read')
  @ApiOperation({ summary: 'List the runs that the caller may read, newest first' })
  @ApiOkResponse({ type: RunListBody })
  @CallProblems('invalid-request')
  async list(@Query() query: ListRunsQuery, @Caller() caller: Principal): Promise<object> {
    const request = { ...runFilter(query), ...pageRequest(query) };
    return pageOrProblem(() => this.queries.execute(new ListRuns(caller, request)));
  }

  @Get('inbox')
  @MayAttempt('read')
  @ApiOperation({ summary: 'List the waiting runs that the caller may read, longest waiting first' })
  @ApiOkResponse({ type: InboxBody })
  @CallProblems('invalid-request')
  async inbox(@Query() query: ListInboxQuery, @Caller() caller: Principal): Promise<object> {
    return pageOrProblem(() => this.queries.execute(new ListInbox(caller, pageRequest(query))));
  }

  @Get('runs/:id')
  @MayAttempt('read')
  @ApiOperation({ summary: 'Read a run, without its transcript' })
  @ApiOkResponse({ type: RunBody })
  @CallProblems('run-not-found')
  async get(@Param('id', RunIdPipe) runId: string, @Caller() caller: Principal): Promise<object> {
    const run = await this.queries.execute(new GetRun(caller, runId));
    if (run === null) throw new Problem('run-not-found');
    return run;
  }

  @Get('runs/:id/pause')
  // The arguments of pending calls are for those who judge them (INP-12), not for everybody who may read a status.
  @MayAttempt('answer')
  @ApiOperation({ summary: 'Read what a run waits for, whole, for whoever may answer' })
  @ApiOkResponse({ type: PauseBody })
  @CallProblems('run-not-found', 'no-pause', 'corrupt-suspended-state')
  async pause(@Param('id', RunIdPipe) runId: string, @Caller() caller: Principal): Promise<object> {
    const found = await this.queries.execute(new GetPause(caller, runId));
    if (found === null) throw new Problem('run-not-found');
    if (found.outcome === 'no_pause') throw new Problem('no-pause');
    if (found.outcome === 'corrupt') throw new Problem('corrupt-suspended-state');
    return found.pause;
  }

  @Get('runs/:id/events')
  @MayAttempt('read')
  @ApiOperation({ summary: 'Read what happened in a run, in order, without content' })
  @ApiOkResponse({ type: TimelineBody })
  @ApiNoContentResponse({ description: 'Of a stream: the run is settled, and the client has every event of it.' })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Of a stream: goes on behind this sequence.' })
  @CallProblems('invalid-request', 'run-not-found')
  async events(
    @Param('id', RunIdPipe) runId: string,
    @Query() query: TimelineQuery,
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { after: asked, limit } = timelinePart(query);
    const { accept, 'last-event-id': lastId } = request.headers;
    const isStream = wantsStream(accept);
    const after = (isStream ? lastEventId(typeof lastId === 'string' ? lastId : undefined) : null) ?? asked;
    const entries = await this.queries.execute(new GetTimeline(caller, runId, { after, limit: limit + 1 }));
    if (entries === null) throw new Problem('run-not-found');
    const items = entries.slice(0, limit);
    if (isStream) return this.stream.answer(caller, request, reply, runId, after, items);
    const last = items[items.length - 1];
    const nextCursor = entries.length > limit && last !== undefined ? String(last.sequence) : null;
    reply.send({ items, nextCursor });
  }
}
