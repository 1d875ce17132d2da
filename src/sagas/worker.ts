import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ClaimRun } from '../commands/claim-run.command.js';
import { WorkerSettings } from '../commands/worker-settings.js';
import { Clock } from '../event-store/clock.js';
import { EventCodec } from '../event-store/codec.js';
import { Entropy } from '../event-store/entropy.js';
import { EventStore } from '../event-store/event-store.js';
import { Metrics } from '../metrics/metrics.js';
import { reportTo } from '../subscriptions/feed-log.js';
import { FeedRunner } from '../subscriptions/feed-runner.js';
import { ToolLoopService } from '../tool-loop/tool-loop.service.js';
import { DueTable } from './due-table.js';
import { KnownWorkers } from './known-workers.js';
import { RunLog } from './resume-log.js';
import { ResumeRuns } from './resume-runs.js';

export class WorkerOptions {
  constructor(
    /** Path of the due table's file. It is disposable: deleted, it is made anew from the log. */
    readonly dueFile: string,
    readonly maxSegments: number,
    /** Whether other workers have due tables of their own, so that they have to look at runs one after the other. */
    readonly ownDueTable: boolean,
  ) {}
}

/** How long a stop waits for steps under way; the whole stop is to end within ten seconds. */
const DRAIN_MS = 6_000;

/** The process manager of this process: keeps the due table up with the log, and runs going. */
@Injectable()
export class Worker implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly due: DueTable;
  private readonly feed: FeedRunner;
  private readonly resume: ResumeRuns;

  constructor(
    options: WorkerOptions,
    commands: CommandBus,
    toolLoop: ToolLoopService,
    store: EventStore,
    codec: EventCodec,
    clock: Clock,
    entropy: Entropy,
    log: RunLog,
    metrics: Metrics,
    settings: WorkerSettings,
  ) {
    const listeners = {
      onDue: () => this.resume.wake(),
      onLost: (runId: string) => this.resume.lose(runId),
      onClaimed: (runId: string, revision: number) => this.resume.noteClaim(runId, revision),
    };
    const workers = new KnownWorkers(
      settings.workerId,
      () => clock.now(),
      () => this.resume.newsLagMs,
    );
    this.due = DueTable.open(options.dueFile, listeners, options.ownDueTable ? workers : undefined);
    this.resume = new ResumeRuns(
      this.due,
      (runId) => commands.execute(new ClaimRun(runId)),
      (run, signals) => toolLoop.runSegment(run, signals),
      clock,
      { maxSegments: options.maxSegments, drainMs: DRAIN_MS },
      log,
    );
    const report = reportTo(new Logger('Due'));
    this.feed = new FeedRunner(this.due, { store, codec, clock, entropy }, { report });
    metrics.read({
      segments: () => this.resume.segments,
      dueRuns: () => this.due.countDue(clock.now()),
      longestDueMs: () => this.due.longestDueMs(clock.now()),
      feedsBehindMs: () => ({ due: this.feed.reading().behindMs }),
    });
  }

  onApplicationBootstrap(): void {
    this.feed.start();
    this.resume.start();
  }

  /** While the store is still there: what a segment has done is recorded, and its run handed back. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.resume.stop();
    await this.feed.stop();
  }

  onApplicationShutdown(): void {
    this.due.close();
  }
}
