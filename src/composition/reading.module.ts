import { join } from 'node:path';
import { type DynamicModule, Global, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DATA_FILES } from '../config/data-files.js';
import type { Environment } from '../config/environment.js';
import { TokenUse } from '../governance/token-use.js';
import { ProjectionProgress } from '../http/health/projection-progress.js';
import { Metrics } from '../metrics/metrics.js';
import { AuditFeed } from '../projections/audit/audit-feed.js';
import { ProjectionsModule } from '../projections/projections.module.js';
import { RecordsFeed } from '../projections/records/records-feed.js';
import { RunsFeed } from '../projections/runs/runs-feed.js';
import { TokenUseFile } from '../projections/tokens/token-use-file.js';
import { followersDir } from './followers-dir.js';

@Injectable()
class TokenUseLifetime implements OnApplicationShutdown {
  constructor(private readonly use: TokenUse) {}

  onApplicationShutdown(): void {
    if (this.use instanceof TokenUseFile) this.use.close();
  }
}

/** Also the pages ask when tokens were last used. */
@Global()
@Module({})
class ReadingModule {}

/** Read models, and how far they are. */
export function readingModule(environment: Environment): DynamicModule {
  const dir = followersDir(environment);
  const projections = ProjectionsModule.forRoot({
    file: join(dir, DATA_FILES.readModels),
    auditFile: join(dir, DATA_FILES.audit),
    recordsFile: join(dir, DATA_FILES.records),
  });
  return {
    module: ReadingModule,
    imports: [projections],
    providers: [
      {
        provide: ProjectionProgress,
        useFactory: (runs: RunsFeed, audit: AuditFeed, records: RecordsFeed, metrics: Metrics): ProjectionProgress => {
          const feedsBehindMs = () => ({
            runs: runs.reading().behindMs,
            audit: audit.reading().behindMs,
            records: records.reading().behindMs,
          });
          metrics.read({ feedsBehindMs });
          return { behindMs: () => Math.max(...Object.values(feedsBehindMs())) };
        },
        inject: [RunsFeed, AuditFeed, RecordsFeed, Metrics],
      },
      { provide: TokenUse, useFactory: () => TokenUseFile.open(join(dir, DATA_FILES.tokenUse)) },
      TokenUseLifetime,
    ],
    exports: [ProjectionProgress, TokenUse],
  };
}
