import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { BEGINNING } from '../../src/event-store/event-store.js';
import { SqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { compilePrograms, exitOf, startProgram } from '../support/compiled-processes.js';
import { caughtUp, someEvents } from '../support/event-samples.js';
import type { Acknowledged } from '../support/processes/append-until-killed.js';
import { scratchFolder } from '../support/scratch-folder.js';

// Starting processes takes seconds on a busy machine.
jest.setTimeout(30_000);

describe('several processes on one SQLite log', () => {
  const folder = scratchFolder();
  let file = 0;
  let path: string;
  let children: ChildProcess[] = [];

  beforeAll(() => compilePrograms(folder.path, 'append-until-killed'));
  beforeEach(() => {
    file += 1;
    path = join(folder.path, `${file}.db`);
  });
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    children = [];
  });
  afterAll(() => folder.remove());

  /** Starts an appending process; resolves `enough` once it has seen so many appends acknowledged. */
  function appender(streams: number, enoughMessages: number) {
    const child = startProgram(folder.path, 'append-until-killed', path, 'run-', `${streams}`);
    children.push(child);
    const acknowledged: Acknowledged[] = [];
    const enough = new Promise<void>((resolve, reject) => {
      child.on('exit', () => reject(new Error('the appending process ended early')));
      child.on('message', (message: Acknowledged) => {
        acknowledged.push(message);
        if (acknowledged.length >= enoughMessages) resolve();
      });
    });
    return { child, acknowledged, enough };
  }

  async function stored(): Promise<Map<string, { stream: string; revision: number }>> {
    const store = SqliteEventStore.open({ path });
    const { events } = await caughtUp(store, { after: BEGINNING, prefixes: ['run-'] });
    await store.close();
    const next = new Map<string, number>();
    for (const { stream, revision } of events) {
      expect(revision).toBe(next.get(stream) ?? 0);
      next.set(stream, revision + 1);
    }
    return new Map(events.map(({ id, stream, revision }) => [id, { stream, revision }]));
  }

  it('CLM-1 each revision goes to one of three processes that open and append at the same time', async () => {
    const processes = [appender(4, 200), appender(4, 200), appender(4, 200)];
    await Promise.all(processes.map(({ enough }) => enough));
    for (const { child } of processes) child.send('stop');
    const codes = await Promise.all(processes.map(({ child }) => exitOf(child)));

    const log = await stored();

    expect(codes).toEqual([0, 0, 0]);
    const acknowledged = processes.flatMap((each) => each.acknowledged);
    expect(log.size).toBe(acknowledged.length);
    for (const { id, stream, revision } of acknowledged) expect(log.get(id)).toEqual({ stream, revision });
  });

  it('CLM-6 nothing acknowledged is lost when a process is killed in the middle of its appends', async () => {
    const all: Acknowledged[] = [];
    for (const kill of [1, 2, 3]) {
      const { child, acknowledged, enough } = appender(20, kill * 50);
      await enough;
      child.kill('SIGKILL');
      await exitOf(child);
      all.push(...acknowledged);

      const log = await stored();

      for (const { id, stream, revision } of all) expect(log.get(id)).toEqual({ stream, revision });
    }
  });

  it('a process that goes on appending does not keep another from it, nor a feed from hearing of both', async () => {
    const { child, enough } = appender(10, 40);
    await enough;
    const store = SqliteEventStore.open({ path });
    const head = await store.head();

    for (let index = 0; index < 20; index += 1) {
      await store.append(`run-other${index}`, 'no_stream', someEvents(2));
    }
    const heard = new Set<string>();
    for await (const { events } of store.subscribe({
      after: head,
      prefixes: ['run-'],
      signal: new AbortController().signal,
    })) {
      for (const event of events) heard.add(event.stream);
      if (heard.size === 30) break;
    }

    child.kill('SIGKILL');
    await store.close();
    expect(heard.size).toBe(30);
  });
});
