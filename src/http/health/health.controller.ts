import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type HealthCheckResult, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { EventStore } from '../../event-store/event-store.js';
import { Streams } from '../../event-store/streams.js';
import { Everybody } from '../admission.js';
import { OnlyProblems } from '../documentation/problem-responses.js';
import { Problem } from '../problems/problem.js';
import { ProjectionProgress } from './projection-progress.js';

/** How long the store may take to say where its log ends. */
const STORE_DEADLINE_MS = 2_000;

/** How far the read models may be behind the log. */
const LONGEST_LAG_MS = 5_000;

/** How long a write that the store refused counts; then only another one can tell. */
const WRITE_FAILURE_MS = 10_000;

/** What is wrong where a check is down, for whoever reads it at night. */
const SENTENCES: Readonly<Record<string, string>> = {
  store: 'The store does not answer.',
  writes: 'The store answers, but took no write just now: the disk may be full. Reading goes on, nothing is lost.',
  projections: 'The read models are behind the log.',
};

const state = { type: 'object', properties: { status: { type: 'string' } } } as const;

/** For whoever starts, stops and routes to this process. */
@ApiTags('health')
@Everybody()
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly store: EventStore,
    private readonly streams: Streams,
    private readonly projections: ProjectionProgress,
  ) {}

  @Get('live')
  @ApiOperation({ summary: 'Does the process answer?' })
  @ApiOkResponse({ schema: state })
  live(): object {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({ summary: 'Can the process serve calls? The store answers, and reads know of what was written.' })
  @ApiOkResponse({ schema: state })
  @OnlyProblems('not-ready')
  async ready(): Promise<object> {
    try {
      const result = await this.health.check([
        () =>
          this.indicators
            .check('store')
            .attempt(() => this.storeAnswers())
            .withTimeout(STORE_DEADLINE_MS),
        () => this.indicators.check('writes').attempt(() => this.storeWrites()),
        () => this.indicators.check('projections').attempt(() => this.projectionsKeepUp()),
      ]);
      return { status: 'ok', checks: checksOf(result) };
    } catch (error) {
      // Terminus puts what it found into its exception, messages of errors included: only up and down go out.
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const checks = checksOf(error.getResponse() as HealthCheckResult);
      const because = Object.keys(checks).flatMap((name) => (checks[name] === 'up' ? [] : (SENTENCES[name] ?? [])));
      throw new Problem('not-ready', { checks, because });
    }
  }

  private async storeAnswers(): Promise<void> {
    await this.store.head();
  }

  private storeWrites(): void {
    if (this.streams.failedToWriteWithin(WRITE_FAILURE_MS)) throw new Error('the store took no write');
  }

  private projectionsKeepUp(): void {
    if (this.projections.behindMs() > LONGEST_LAG_MS) throw new Error('the projections are behind the log');
  }
}

function checksOf({ details }: HealthCheckResult): Record<string, string> {
  return Object.fromEntries(Object.entries(details).map(([name, { status }]) => [name, status]));
}
