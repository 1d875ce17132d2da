// @ts-check
/*
 * What things cost, as ratios within one run: `npm run bench`. It is no test: figures of one machine say nothing about
 * another, ratios do.
 */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { AppModule } from '../dist/app.module.js';
import { PutConfiguration } from '../dist/commands/governance/put-configuration.command.js';
import { StartRun } from '../dist/commands/start-run.command.js';
import { SubmitInput } from '../dist/commands/submit-input.command.js';
import { loadEnvironment } from '../dist/config/environment.js';
import { EventStore } from '../dist/event-store/event-store.js';
import { ERASED } from '../dist/event-store/sealing.js';
import { SqliteEventStore } from '../dist/event-store/sqlite/sqlite-event-store.js';
import { Streams } from '../dist/event-store/streams.js';
import { runStream } from '../dist/events/run-events.js';
import { Bootstrap } from '../dist/governance/bootstrap.js';
import { Principals } from '../dist/governance/principals.js';
import { AwaitRun } from '../dist/projections/runs/await-run.query.js';
import { runFold } from '../dist/run/evolve.js';
import { Tool } from '../dist/tools/tool.decorator.js';
import { benchInboxPages } from './inbox-page.js';

const APPENDS_ALONE = 1_500;
const APPENDS_TOGETHER = 30_000;
const WAITING = 64;
const CYCLES_ALONE = 200;
const CYCLES_TOGETHER = 2_000;
const TEXT = 'A sentence of the model, of a size that models write. '.repeat(14);

/** @param {string} name @param {string} value */
function tell(name, value) {
  process.stdout.write(`${name.padEnd(66)} ${value}\n`);
}

/** @param {number} count @param {() => Promise<unknown>} work @returns {Promise<number>} per second */
async function rate(count, work) {
  const startedAt = performance.now();
  await work();
  return (count / (performance.now() - startedAt)) * 1_000;
}

/** @param {number} count @param {number} atOnce @param {(index: number) => Promise<unknown>} work */
async function inFlight(count, atOnce, work) {
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      await work(next);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

/** @param {string} folder */
async function benchAppends(folder) {
  const store = SqliteEventStore.open({ path: join(folder, 'appends.sqlite') });
  const event = () => ({
    id: randomUUID(),
    type: 'Measured',
    data: JSON.stringify({ text: 'x'.repeat(400) }),
    metadata: '{"schemaVersion":1}',
  });
  const append = () => store.append(`run-${randomUUID()}`, 'no_stream', [event()]);
  await inFlight(200, 1, append);
  const alone = await rate(APPENDS_ALONE, () => inFlight(APPENDS_ALONE, 1, append));
  const together = await rate(APPENDS_TOGETHER, () => inFlight(APPENDS_TOGETHER, WAITING, append));
  await store.close();
  tell('appends a second, one at a time', alone.toFixed(0));
  tell(`appends a second, ${WAITING} waiting`, together.toFixed(0));
  tell('  what the group commit gives (at least 6 times)', `${(together / alone).toFixed(1)} times`);
}

const PERSON = {
  type: 'object',
  properties: { date: { type: 'string', format: 'date' }, note: { type: 'string' } },
  required: ['date'],
};

class AskTool {
  /** @param {object} args */
  execute(args) {
    return { ...args, text: TEXT };
  }
}
Tool({
  name: 'ask',
  description: 'Asks a person.',
  effect: 'read_only',
  dataClass: 'public',
  parameters: { type: 'object' },
  inputSchema: PERSON,
})(AskTool);

class BenchTools {}
Module({ providers: [AskTool] })(BenchTools);

/** @param {number} pauses */
function configuration(pauses) {
  const pause = { text: TEXT, calls: [{ toolName: 'ask', arguments: { topic: TEXT } }] };
  return {
    provider: { kind: /** @type {const} */ ('scripted'), turns: [...Array(pauses).fill(pause), { text: TEXT }] },
    trustZone: 'local',
    fallbacks: [],
    systemPrompt: null,
    allowedTools: null,
    snippetIds: [],
    skillIds: [],
    requireSecondApprover: false,
  };
}

/** @param {string} folder */
async function benchRuns(folder) {
  const environment = loadEnvironment({
    HOLDPOINT_DATA_DIR: join(folder, 'service'),
    HOLDPOINT_LOG_LEVEL: 'warn',
    // The sizes are measured on content that is still there.
    HOLDPOINT_KEEP_CONTENT_DAYS: '1',
    HOLDPOINT_MAX_SEGMENTS: String(WAITING),
  });
  const app = await NestFactory.createApplicationContext(AppModule.forRoot(environment, false, [BenchTools]), {
    logger: ['error', 'warn'],
  });
  await app.get(Bootstrap).run({ token: undefined, issuer: null });
  const commands = app.get(CommandBus);
  const queries = app.get(QueryBus);
  const owner = await app.get(Principals).find('admin');
  if (owner === null) throw new Error('there is no administrator');

  /** @param {string} id @param {number} pauses */
  const put = (id, pauses) =>
    commands.execute(
      new PutConfiguration({ kind: 'system', id: 'bench' }, id, configuration(pauses), { kind: 'none' }, 'bench'),
    );
  await put('one', 1);
  await put('ten', 10);
  await put('hundred', 100);

  /** @param {string} configurationId @returns {Promise<string>} the id of a run that went the whole way */
  const cycle = async (configurationId) => {
    const request = {
      configurationId,
      messages: [{ role: /** @type {const} */ ('user'), content: TEXT }],
      allowedTools: null,
      maxIterations: null,
      forcedSnippetIds: [],
      forcedSkillIds: [],
      options: {},
    };
    let last = await commands.execute(new StartRun(owner, request, null, 'bench'));
    while (true) {
      if (last.outcome === 'rejected') throw new Error(last.rejection.code);
      const { runId, position } = last;
      const view = await queries.execute(new AwaitRun(owner, runId, { atLeast: position, timeoutMs: 60_000 }));
      if (view?.pause === undefined) return runId;
      const data = { date: '2030-05-02', note: TEXT };
      const values = { form: /** @type {const} */ ('data'), data };
      last = await commands.execute(new SubmitInput(owner, runId, view.pause.turnDigest, values, 'bench'));
    }
  };

  await inFlight(50, 4, () => cycle('one'));
  const alone = await rate(CYCLES_ALONE, () => inFlight(CYCLES_ALONE, 1, () => cycle('one')));
  const together = await rate(CYCLES_TOGETHER, () => inFlight(CYCLES_TOGETHER, WAITING, () => cycle('one')));
  tell('full cycles a second (start, pause, submit, resume, complete), 1', alone.toFixed(0));
  tell(`full cycles a second, ${WAITING} in flight`, together.toFixed(0));
  tell('  what working side by side gives', `${(together / alone).toFixed(1)} times`);

  const ten = await sizeOf(app, await cycle('ten'));
  const hundred = await sizeOf(app, await cycle('hundred'));
  tell('bytes of a run with 10 pauses', `${ten.stored} for ${ten.content} of content`);
  tell('bytes of a run with 100 pauses', `${hundred.stored} for ${hundred.content} of content`);
  tell('  a hundred pauses to ten (at most 11 times)', `${(hundred.stored / ten.stored).toFixed(2)} times`);
  tell('  stored to content (at most 3 times)', `${(hundred.stored / hundred.content).toFixed(2)} times`);
  await app.close();
}

/** @param {import('@nestjs/common').INestApplicationContext} app @param {string} runId */
async function sizeOf(app, runId) {
  const streams = app.get(Streams);
  const stream = runStream(runId);
  const stored = await app.get(EventStore).read(stream);
  const { events } = await streams.load(runFold, stream);
  const keys = await streams.keys.find(stream);
  const contents = events.map((event) => (event.sealed === undefined ? {} : streams.codec.open(event, keys)));
  return {
    stored: stored.reduce((sum, { data, metadata }) => sum + Buffer.byteLength(data) + Buffer.byteLength(metadata), 0),
    content: contents.reduce(
      (sum, opened) => sum + (opened === ERASED ? 0 : Buffer.byteLength(JSON.stringify(opened))),
      0,
    ),
  };
}

const folder = await mkdtemp(join(tmpdir(), 'holdpoint-bench-'));
try {
  await benchAppends(folder);
  await benchRuns(folder);
  const { few, many } = await benchInboxPages(folder);
  tell('milliseconds for a page of 50 among 100 waiting runs', few.toFixed(2));
  tell('milliseconds for a page of 50 among 100,000 waiting runs', many.toFixed(2));
  tell('  what the other 99,900 add (at most 1.5 times)', `${(many / few).toFixed(2)} times`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
