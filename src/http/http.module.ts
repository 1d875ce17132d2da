import { type DynamicModule, Logger, Module, type ModuleMetadata } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { AuthenticationGuard } from './authentication.guard.js';
import { BearerTokens } from './bearer-tokens.js';
import { FormPipe } from './body/form.pipe.js';
import { ConfigurationsController } from './governance/configurations.controller.js';
import { PrincipalsController } from './governance/principals.controller.js';
import { TokensController } from './governance/tokens.controller.js';
import { ToolsController } from './governance/tools.controller.js';
import { HealthController } from './health/health.controller.js';
import { MeController } from './me.controller.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { RunAnswers } from './runs/run-answers.js';
import { RunReadsController } from './runs/run-reads.controller.js';
import { RunsController } from './runs/runs.controller.js';

@Module({})
class HttpModule {}

/**
 * The interface. It needs, from the modules it is given or from global ones: `Principals`, `AccessTokens`, `Configurations`, `TokenMint`,
 * `ToolCatalogue`, `EventStore`, `ProjectionProgress`, and the buses with handlers for what its controllers send.
 */
export function httpModule(imports: ModuleMetadata['imports'] = []): DynamicModule {
  return {
    module: HttpModule,
    imports: [...imports, TerminusModule.forRoot({ logger: Logger })],
    controllers: [
      RunsController,
      RunReadsController,
      ConfigurationsController,
      PrincipalsController,
      TokensController,
      ToolsController,
      MeController,
      HealthController,
    ],
    providers: [
      RunAnswers,
      BearerTokens,
      { provide: APP_GUARD, useClass: AuthenticationGuard },
      { provide: APP_PIPE, useClass: FormPipe },
      { provide: APP_FILTER, useClass: ProblemFilter },
    ],
  };
}
