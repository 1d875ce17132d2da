import 'reflect-metadata';
import { SqliteEventStore } from '../../../src/event-store/sqlite/sqlite-event-store.js';
import { start } from '../../../src/start.js';
import { LedgerTools } from '../ledger-tools.js';

/*
 * The service with the tools of the ledger, which dies as by `kill -9` when it has written a step of a run: after the
 * commit and before anybody is told. A claim is no step. `STEPS` says how many it lives for.
 */
let left = Number(process.env.STEPS ?? 1);
const { append } = SqliteEventStore.prototype;
SqliteEventStore.prototype.append = async function (stream, expected, events) {
  const appended = await append.call(this, stream, expected, events);
  if (stream.startsWith('run-') && !events.every(({ type }) => NO_STEPS.has(type))) {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  }
  return appended;
};

const NO_STEPS: ReadonlySet<string> = new Set(['RunClaimed', 'LeaseExtended']);

await start([LedgerTools]);
