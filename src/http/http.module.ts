import { type DynamicModule, Logger, Module, type ModuleMetadata } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { AuditController } from './audit/audit.controller.js';
import { AuthenticationGuard } from './authentication.guard.js';
import { BearerTokens } from './bearer-tokens.js';
import { FormPipe } from './body/form.pipe.js';
import { ConfigurationPolicyController } from './governance/configuration-policy.controller.js';
import { ConfigurationsController } from './governance/configurations.controller.js';
import { EnforcementController } from './governance/enforcement.controller.js';
import { PrincipalsController } from './governance/principals.controller.js';
import { RecordListsController } from './governance/record-lists.controller.js';
import { RecordLists } from './governance/record-lists.js';
import { SkillsController } from './governance/skills.controller.js';
import { SnippetsController } from './governance/snippets.controller.js';
import { SourceEditing } from './governance/source-editing.js';
import { TokensController } from './governance/tokens.controller.js';
import { ToolsController } from './governance/tools.controller.js';
import { HealthController } from './health/health.controller.js';
import { LimitedGuard } from './limits/limited.guard.js';
import type { LimitSettings } from './limits/limits.js';
import { limitsModule } from './limits/limits.module.js';
import { MeController } from './me.controller.js';
import { MetricsController } from './metrics.controller.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { RunAnswers } from './runs/run-answers.js';
import { RunEventStream } from './runs/run-event-stream.js';
import { RunReadsController } from './runs/run-reads.controller.js';
import { RunsController } from './runs/runs.controller.js';

/** All calls of the interface but those about the process itself. */
const CALLS = [
  RunsController,
  RunReadsController,
  RecordListsController,
  ConfigurationsController,
  ConfigurationPolicyController,
  SnippetsController,
  SkillsController,
  EnforcementController,
  PrincipalsController,
  TokensController,
  ToolsController,
  AuditController,
  MeController,
];

@Module({})
class HttpModule {}

/**
 * The interface. It needs, from the modules it is given or from global ones: `Principals`, `AccessTokens`,
 * `Configurations`, `Sources`, `ConfigurationPolicies`, `EnforcementPolicy`, `TokenMint`, `ToolCatalogue`, `EventStore`,
 * `ProjectionProgress`, `Metrics`, and the buses with handlers for what its controllers send.
 *
 * @param servesCalls false in a process that only works: it tells how it does, and nothing else
 */
export function httpModule(
  limits: LimitSettings,
  imports: ModuleMetadata['imports'] = [],
  servesCalls = true,
): DynamicModule {
  return {
    module: HttpModule,
    imports: [...imports, limitsModule(limits), TerminusModule.forRoot({ logger: Logger })],
    controllers: [...(servesCalls ? CALLS : []), HealthController, MetricsController],
    providers: [
      RunAnswers,
      RunEventStream,
      BearerTokens,
      SourceEditing,
      RecordLists,
      { provide: APP_GUARD, useClass: AuthenticationGuard },
      { provide: APP_GUARD, useClass: LimitedGuard },
      { provide: APP_PIPE, useClass: FormPipe },
      { provide: APP_FILTER, useClass: ProblemFilter },
    ],
  };
}
