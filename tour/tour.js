// @ts-check
/*
 * Walks the main path of Holdpoint in a terminal, against a service of its own in a temporary folder: a run starts,
 * pauses for typed input, refuses an invalid answer, takes a valid one and finishes. Ends with 1 if anything is not as
 * it should be.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '..', 'dist', 'main.js');
const START_PATIENCE_MS = 30_000;

const token = randomBytes(24).toString('base64url');

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}

/** @param {unknown} value */
function show(value) {
  say(JSON.stringify(value, null, 2).replace(/^/gm, '    '));
}

/** @param {string} folder */
async function startService(folder) {
  const service = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      HOLDPOINT_DATA_DIR: folder,
      HOLDPOINT_DEMO: '1',
      HOLDPOINT_BOOTSTRAP_TOKEN: token,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const giveUp = setTimeout(() => service.kill('SIGKILL'), START_PATIENCE_MS);
  for await (const line of createInterface({ input: service.stdout })) {
    const address = /listens on (http:\/\/\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      clearTimeout(giveUp);
      service.stdout.resume();
      return { service, address };
    }
  }
  throw new Error('the service ended before it listened');
}

/** @param {import('node:child_process').ChildProcess} service */
function stopService(service) {
  if (service.exitCode !== null || service.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    service.once('exit', resolve);
    service.kill('SIGTERM');
  });
}

/**
 * @param {string} address
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 */
async function call(address, method, path, body) {
  const response = await fetch(`${address}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      prefer: 'wait=20',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: /** @type {any} */ (await response.json()) };
}

/** @param {string} address */
async function walk(address) {
  say('1. A run starts. Its model looks up an order and then needs to know when to deliver.\n');
  const started = await call(address, 'POST', '/runs', {
    configurationId: 'demo',
    input: 'Order 1042 is packed. Arrange the delivery.',
  });
  assert.equal(started.status, 200);
  assert.equal(started.body.status, 'waiting_for_input');
  const run = `/runs/${started.body.id}`;
  show(started.body);

  say('\n2. It waits. Whoever may answer sees what will happen, and the schema of the answer.\n');
  const { body: pause } = await call(address, 'GET', `${run}/pause`);
  const [request] = pause.requests;
  assert.equal(request.toolName, 'ask_delivery_window');
  assert.equal(pause.turnDigest, started.body.pause.turnDigest);
  show(pause);

  say('\n3. An answer that does not fit changes nothing. The faults are told, the run still waits.\n');
  const refused = await call(address, 'POST', `${run}/input`, {
    turnDigest: pause.turnDigest,
    answers: { [request.callId]: { date: 'next tuesday', slot: 'night', floor: 61 } },
  });
  assert.equal(refused.status, 422);
  assert.equal(refused.body.code, 'invalid-input');
  assert.equal(refused.body.errors.length, 3);
  show(refused.body);
  const still = await call(address, 'GET', run);
  assert.deepEqual([still.body.status, still.body.revision], ['waiting_for_input', started.body.revision]);

  say('\n4. A valid answer is taken once, and the run goes on from where it stood.\n');
  const answer = {
    turnDigest: pause.turnDigest,
    answers: { [request.callId]: { date: '2030-05-02', slot: 'morning', floor: 3, callFirst: true } },
  };
  const accepted = await call(address, 'POST', `${run}/input`, answer);
  assert.equal(accepted.status, 200);
  assert.equal(accepted.body.submission, 'accepted');
  assert.equal(accepted.body.status, 'completed');
  show(accepted.body);

  say('\n5. The same answer again is recognised; another one comes too late.\n');
  const replayed = await call(address, 'POST', `${run}/input`, answer);
  assert.equal(replayed.body.submission, 'replayed');
  const late = await call(address, 'POST', `${run}/input`, {
    turnDigest: pause.turnDigest,
    data: { date: '2030-05-03' },
  });
  assert.equal(late.body.code, 'already-answered');
  show({ again: replayed.body.submission, another: late.body.code });

  say('\n6. What happened, from the log. Nobody finds a word of content in it.\n');
  const { body: timeline } = await call(address, 'GET', `${run}/events`);
  for (const { sequence, at, type, ...clear } of timeline.items) {
    say(`    ${String(sequence).padStart(2)}  ${at}  ${type.padEnd(22)} ${clear.actor?.id ?? ''}`);
  }
  const types = timeline.items.map((/** @type {{type: string}} */ event) => event.type);
  assert.equal(types[0], 'RunStarted');
  assert.ok(types.includes('RunCompleted'));
  assert.equal(types.filter((/** @type {string} */ type) => type === 'InputSubmitted').length, 1);
  assert.ok(!JSON.stringify(timeline).includes('2030-05-02'), 'the timeline holds a submitted value');
}

const folder = await mkdtemp(join(tmpdir(), 'holdpoint-tour-'));
/** @type {import('node:child_process').ChildProcess | undefined} */
let service;
try {
  const started = await startService(folder);
  service = started.service;
  await walk(started.address);
  say('\nThat is all of it: nothing was lost, nothing happened twice.');
} catch (error) {
  process.exitCode = 1;
  say(`\nThe tour went wrong: ${error instanceof Error ? error.message : error}`);
} finally {
  if (service !== undefined) await stopService(service);
  await rm(folder, { recursive: true, force: true });
}
