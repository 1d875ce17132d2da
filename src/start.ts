import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger } from 'nestjs-pino';
import { AppModule, DATA_FILES } from './app.module.js';
import { EnvironmentInvalid, loadEnvironment } from './config/environment.js';
import { MasterKeyUnusable } from './event-store/master-key.js';
import { Bootstrap } from './governance/bootstrap.js';
import { createFastifyAdapter } from './http/fastify-adapter.js';
import { prepareHttp } from './http/prepare-http.js';
import { describeFailure } from './logging/describe-failure.js';
import { quietStart } from './logging/quiet-start.js';
import { ToolRejected } from './tools/tool-registry.js';

/** `npm start` shows the demonstration where there is no data yet, and again where it did so before. */
const DEMONSTRATE = '--demonstrate';
const DEMONSTRATED = 'demonstration';

/**
 * Starts the service in this process, which then lives until a signal ends it. A start that fails says why on standard
 * error and ends the process with 1.
 *
 * @param tools modules of tools, each with providers that carry `@Tool`
 */
export async function start(tools: ModuleMetadata['imports'] = []): Promise<void> {
  try {
    await startService(tools);
  } catch (failure) {
    process.stderr.write(`${sentenceOf(failure)}\n`);
    process.exit(1);
  }
}

async function startService(tools: ModuleMetadata['imports']): Promise<void> {
  const environment = loadEnvironment(process.env);
  const inDataDir = (name: string) => join(environment.dataDir, name);
  const hasLog = existsSync(inDataDir(DATA_FILES.log));
  const hasSealedData = hasLog || existsSync(inDataDir(DATA_FILES.keys));
  const demo =
    environment.demo || (process.argv.includes(DEMONSTRATE) && (!hasSealedData || existsSync(inDataDir(DEMONSTRATED))));
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot({ ...environment, demo }, hasSealedData, tools),
    createFastifyAdapter(),
    { bufferLogs: true, abortOnError: false },
  );
  app.useLogger(quietStart(app.get(Logger)));
  app.enableShutdownHooks();
  await prepareHttp(app, environment.baseUrl);
  if (demo) writeFileSync(inDataDir(DEMONSTRATED), '');
  await app.init();
  const { generatedToken } = await app.get(Bootstrap).run({ token: environment.bootstrapToken, issuer: null });
  await app.listen(environment.port, environment.host);
  announce(await app.getUrl(), generatedToken, demo);
}

function announce(address: string, token: string | null, demo: boolean): void {
  const lines = [`Holdpoint listens on ${address}`, `Its interface is described at ${address}/api/docs`];
  if (token !== null) lines.push(`Token of the administrator "admin", shown this once: ${token}`);
  if (demo) lines.push('The configuration "demo" and its tools are there to try. `npm run tour` shows what they do.');
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** What whoever starts the service can put right is said in its own sentence; the rest by its class alone. */
function sentenceOf(failure: unknown): string {
  if (
    failure instanceof EnvironmentInvalid ||
    failure instanceof MasterKeyUnusable ||
    failure instanceof ToolRejected
  ) {
    return failure.message;
  }
  const code = (failure as NodeJS.ErrnoException).code;
  const { error, frames } = describeFailure(failure);
  const known = code === undefined ? error : `${error} ${code}`;
  return [`The start failed: ${known}.`, ...frames].join('\n  ');
}
