import { mkdirSync } from 'node:fs';
import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { GOVERNANCE_COMMAND_HANDLERS } from './commands/governance/governance-command-handlers.js';
import { RUN_COMMAND_HANDLERS } from './commands/run-command-handlers.js';
import { coreModule } from './composition/core.module.js';
import { followersDir } from './composition/followers-dir.js';
import { readingModule } from './composition/reading.module.js';
import { workerModule } from './composition/worker.module.js';
import type { Environment } from './config/environment.js';
import { DemonstrationModule } from './demonstration/demonstration.module.js';
import { httpModule } from './http/http.module.js';
import { loggerModule } from './http/logging.js';
import { inboxModule } from './inbox/inbox.module.js';
import { signInModule } from './inbox/sign-in/sign-in.module.js';

@Module({})
class CommandsModule {}

function commandsModule(): DynamicModule {
  return {
    module: CommandsModule,
    providers: [...RUN_COMMAND_HANDLERS, ...GOVERNANCE_COMMAND_HANDLERS],
  };
}

@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: to Nest a module is a class.
export class AppModule {
  /**
   * The whole service. Its ports are opened while it is built, so a master key that is missing or wrong ends the start here.
   *
   * @param tools modules of tools, each with providers that carry `@Tool`
   */
  static forRoot(
    environment: Environment,
    hasSealedData: boolean,
    tools: DynamicModule['imports'] = [],
  ): DynamicModule {
    mkdirSync(followersDir(environment), { recursive: true });
    const servesCalls = environment.roles.includes('api');
    return {
      module: AppModule,
      imports: [
        loggerModule(environment.logLevel),
        CqrsModule.forRoot(),
        coreModule(environment, hasSealedData),
        commandsModule(),
        httpModule(environment.limits, [readingModule(environment)], servesCalls),
        ...(servesCalls ? [inboxModule(signInModule(environment.baseUrl))] : []),
        ...(environment.roles.includes('worker') ? [workerModule(environment)] : []),
        ...(environment.demo ? [DemonstrationModule] : []),
        ...tools,
      ],
    };
  }
}
