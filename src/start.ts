import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module.js';
import { DATA_FILES } from './config/data-files.js';
import { type Environment, EnvironmentInvalid, loadEnvironment } from './config/environment.js';
import { DemonstrationRuns } from './demonstration/demonstration-runs.js';
import { MasterKeyUnusable } from './event-store/master-key.js';
import { Bootstrap, NoAdministrator } from './governance/bootstrap.js';
import { SignInLinks } from './governance/sign-in-links.js';
import { BOOTSTRAP_PLACE } from './governance/tokens.js';
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
  process.on('uncaughtException', endBecauseOf);
  try {
    await startService(tools);
  } catch (failure) {
    process.stderr.write(`${sentenceOf(failure)}\n`);
    process.exit(1);
  }
}

/** A tool can break the whole process, by a rejection that nobody handles; in Node's own words the log would hold its message (INP-11). */
function endBecauseOf(failure: unknown): void {
  const { error, frames } = describeFailure(failure);
  process.stderr.write(`${[`The service ended: ${error}.`, ...frames].join('\n  ')}\n`);
  process.exit(1);
}

async function startService(tools: ModuleMetadata['imports']): Promise<void> {
  const environment = loadEnvironment(process.env);
  makeFolder(environment.dataDir);
  const inDataDir = (name: string) => join(environment.dataDir, name);
  const hasLog = existsSync(inDataDir(DATA_FILES.log));
  const hasSealedData = hasLog || existsSync(inDataDir(DATA_FILES.keys));
  const demo =
    environment.demo || (process.argv.includes(DEMONSTRATE) && (!hasSealedData || existsSync(inDataDir(DEMONSTRATED))));
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot({ ...environment, demo }, hasSealedData, tools),
    createFastifyAdapter(),
    // Until there is a logger of ours nothing is printed: Nest's own would tell errors with their messages.
    { logger: false, bufferLogs: true, abortOnError: false },
  );
  app.useLogger(quietStart(app.get(Logger)));
  app.enableShutdownHooks();
  await prepareHttp(app, environment.baseUrl);
  if (demo) writeFileSync(inDataDir(DEMONSTRATED), '', { mode: 0o600 });
  await app.init();
  try {
    await listen(app, environment);
    // Only now: a token that is made by a start which then fails would be known to nobody.
    const ways = await firstWaysIn(app, environment);
    // Where nobody has been yet, the inbox shows what it is for.
    if (demo && process.argv.includes(DEMONSTRATE) && !hasSealedData) {
      await app.get(DemonstrationRuns, { strict: false }).start();
    }
    announce(await app.getUrl(), environment, ways, demo);
  } catch (failure) {
    // The worker may have begun on runs already: they are handed back, instead of waiting for their leases to end.
    await app.close();
    throw failure;
  }
}

/** How the first administrator comes in: told once, since neither is stored. Null where they know a way already. */
interface FirstWaysIn {
  readonly token: string;
  /** Of the link that signs in once to the inbox. */
  readonly linkSecret: string;
}

/** @throws {NoAdministrator} */
async function firstWaysIn(
  app: NestFastifyApplication,
  { bootstrapToken, openId }: Environment,
): Promise<FirstWaysIn | null> {
  const issuer = openId === undefined ? null : { subject: openId.bootstrapSubject };
  const { generatedToken } = await app.get(Bootstrap).run({ token: bootstrapToken, issuer });
  if (generatedToken === null) return null;
  return { token: generatedToken, linkSecret: await app.get(SignInLinks).issue(BOOTSTRAP_PLACE.principalId) };
}

/** @throws {EnvironmentInvalid} */
function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
  } catch (error) {
    throw new EnvironmentInvalid([`HOLDPOINT_DATA_DIR must be a folder, or a place for one (${codeOf(error)}).`]);
  }
}

/** @throws {EnvironmentInvalid} */
async function listen(app: NestFastifyApplication, { port, host }: Environment): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    throw new EnvironmentInvalid([`PORT and HOST must be a place to listen at that is free (${codeOf(error)}).`]);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Names no address that this process does not serve: one that only works has health and metrics alone. */
function announce(address: string, { baseUrl, roles }: Environment, ways: FirstWaysIn | null, demo: boolean): void {
  const servesCalls = roles.includes('api');
  const lines = [
    `Holdpoint listens on ${address}`,
    servesCalls
      ? `The inbox is at ${baseUrl ?? address}/inbox, the description of the interface at ${address}/api/docs`
      : `This process executes runs and takes no calls; ${address}/health/ready and ${address}/metrics tell how it is`,
  ];
  if (ways !== null) {
    lines.push(`Token of the administrator "admin", shown this once: ${ways.token}`);
    if (servesCalls || baseUrl !== undefined)
      lines.push(
        `Link that signs "admin" in once, within a day: ${baseUrl ?? address}/inbox/sign-in?link=${ways.linkSecret}`,
      );
  }
  if (demo) lines.push('The configuration "demo" and its tools are there to try. `npm run tour` shows what they do.');
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** What whoever starts the service can put right is said in its own sentence; the rest by its class alone. */
function sentenceOf(failure: unknown): string {
  if (
    failure instanceof EnvironmentInvalid ||
    failure instanceof MasterKeyUnusable ||
    failure instanceof NoAdministrator ||
    failure instanceof ToolRejected
  ) {
    return failure.message;
  }
  const code = codeOf(failure);
  const { error, frames } = describeFailure(failure);
  const known = code === undefined ? error : `${error} ${code}`;
  return [`The start failed: ${known}.`, ...frames].join('\n  ');
}
