import { join } from 'node:path';
import { type DynamicModule, Module } from '@nestjs/common';
import { WorkerSettings } from '../commands/worker-settings.js';
import { DATA_FILES } from '../config/data-files.js';
import type { Environment } from '../config/environment.js';
import { Streams } from '../event-store/streams.js';
import { GOVERNANCE_EVENTS } from '../events/governance-event-schemas.js';
import { GOVERNANCE_STREAM_PREFIXES } from '../events/governance-events.js';
import { RUN_EVENTS } from '../events/run-event-schemas.js';
import { RUN_STREAM_PREFIX } from '../events/run-events.js';
import { Configurations } from '../governance/configurations.js';
import { ContextGate } from '../governance/context-gate.js';
import { LiveTools } from '../governance/live-tools.js';
import { Principals } from '../governance/principals.js';
import { ModelClients } from '../models/model-clients.js';
import { RunLog } from '../sagas/resume-log.js';
import { KeyDestroyer } from '../sagas/retention/key-destroyer.js';
import { Retention, RetentionOptions } from '../sagas/retention/retention.js';
import { SweepOrphanKeys } from '../sagas/sweep-orphan-keys.js';
import { Worker, WorkerOptions } from '../sagas/worker.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { LiveRecords } from '../tool-loop/live-records.js';
import { ToolLoopService } from '../tool-loop/tool-loop.service.js';
import { followersDir } from './followers-dir.js';

@Module({})
class WorkerModule {}

/** What moves runs, and forgets them. */
export function workerModule(environment: Environment): DynamicModule {
  const { maxSegments, keepWorkingMs, keepOutcomeMs } = environment;
  const dir = followersDir(environment);
  return {
    module: WorkerModule,
    imports: [
      SubscriptionsModule.forRoot({
        file: join(dir, DATA_FILES.subscribers),
        kinds: [
          { prefixes: [RUN_STREAM_PREFIX], events: RUN_EVENTS },
          { prefixes: GOVERNANCE_STREAM_PREFIXES, events: GOVERNANCE_EVENTS },
        ],
      }),
    ],
    providers: [
      {
        provide: WorkerOptions,
        useValue: new WorkerOptions(join(dir, DATA_FILES.due), maxSegments, environment.store.kind !== 'sqlite'),
      },
      RunLog,
      {
        provide: LiveRecords,
        useFactory: (
          configurations: Configurations,
          principals: Principals,
          tools: LiveTools,
          models: ModelClients,
          context: ContextGate,
        ) => new LiveRecords(configurations, principals, tools, models, context),
        inject: [Configurations, Principals, LiveTools, ModelClients, ContextGate],
      },
      {
        provide: ToolLoopService,
        useFactory: (streams: Streams, live: LiveRecords, settings: WorkerSettings, log: RunLog) =>
          new ToolLoopService(streams, live, settings, log),
        inject: [Streams, LiveRecords, WorkerSettings, RunLog],
      },
      Worker,
      {
        provide: RetentionOptions,
        useValue: new RetentionOptions(join(dir, DATA_FILES.erasures), { keepWorkingMs, keepOutcomeMs }),
      },
      Retention,
      KeyDestroyer,
      SweepOrphanKeys,
    ],
  };
}
