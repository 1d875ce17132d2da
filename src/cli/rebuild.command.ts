import { rmSync } from 'node:fs';
import { DATA_FILES } from '../config/data-files.js';
import { SystemClock } from '../event-store/clock.js';
import { EventCodec } from '../event-store/codec.js';
import { SystemEntropy } from '../event-store/entropy.js';
import { EVENT_CATALOGUE } from '../events/event-catalogue.js';
import { retryWhileBusy } from '../sqlite/busy.js';
import { openDisposable, openIfCurrent } from '../subscriptions/disposable-database.js';
import type { ParkedEvent } from '../subscriptions/feed-consumer.js';
import { FeedRunner, type FeedRunnerPorts } from '../subscriptions/feed-runner.js';
import { replaceRows } from '../subscriptions/replace-rows.js';
import type { Command, CommandContext, CommandOutcome } from './command.js';
import type { DataFolder } from './data-folder.js';
import { DISPOSABLES, type Disposable } from './disposables.js';
import { CannotRun, UsageMistake } from './failures.js';
import { withLog } from './log-ports.js';

export const REBUILD: Command = {
  name: 'rebuild',
  usage: 'rebuild [NAME …]',
  summary: 'makes read models and the due table anew from the log, while services go on',
  help: `Makes files that hold nothing but what the log says anew: ${DISPOSABLES.map(({ name }) => name).join(', ')}; all of them where none is named.

Each is made beside the one in use, which is then given its rows in one transaction: services serve the old rows until
that moment and the new ones from then on, and miss nothing. Where an event cannot be taken in, the old rows stay.`,
  arguments: [0, DISPOSABLES.length],
  run: rebuild,
};

interface Rebuilt {
  readonly name: string;
  readonly outcome: 'rebuilt' | 'made_at_next_start' | 'stopped';
  readonly position: string | null;
  /** What stopped it. */
  readonly event: Pick<ParkedEvent, 'stream' | 'revision' | 'errorClass'> | null;
}

/** How long the swap waits for a service to leave the file alone for a moment, in milliseconds. */
const LOCK_PATIENCE_MS = 30_000;

async function rebuild({ data, args, progress }: CommandContext): Promise<CommandOutcome> {
  const chosen = args.length === 0 ? DISPOSABLES : args.map(named);
  data.assertReady('log');
  const results: Rebuilt[] = [];
  await withLog(data, async (store) => {
    const codec = new EventCodec(EVENT_CATALOGUE);
    const ports = { store, codec, clock: new SystemClock(), entropy: new SystemEntropy() };
    for (const disposable of chosen) {
      progress(`rebuilding ${disposable.name}`);
      results.push(await rebuildOne(data, disposable, ports));
    }
  });
  return {
    faulty: results.some(({ outcome }) => outcome === 'stopped'),
    report: { rebuilt: results },
    lines: results.map(inWords),
  };
}

function named(name: string): Disposable {
  const found = DISPOSABLES.find((disposable) => disposable.name === name);
  if (found !== undefined) return found;
  throw new UsageMistake(
    `There is no "${name}" to rebuild; there are ${DISPOSABLES.map((one) => one.name).join(', ')}.`,
  );
}

async function rebuildOne(data: DataFolder, disposable: Disposable, ports: FeedRunnerPorts): Promise<Rebuilt> {
  const { name, kind, file } = disposable;
  if (!data.has(file)) return { name, outcome: 'made_at_next_start', position: null, event: null };
  const path = data.file(file);
  const live = openIfCurrent(path, kind);
  if (live === undefined) {
    throw new CannotRun(
      `${DATA_FILES[file]} is damaged or of another version than this command. Stop the processes that use it and start them again: a start of this version makes it anew (a damaged one: delete it first).`,
    );
  }
  const besidePath = `${path}.rebuild`;
  const removeBeside = () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(besidePath + suffix, { force: true });
  };
  removeBeside();
  const beside = openDisposable(besidePath, kind);
  const feed = new StoppableFeed(disposable, disposable.consumerOn(beside), ports);
  try {
    const target = disposable.consumerOn(live);
    await feed.reach(await ports.store.head());
    // From here on nobody else moves the file's checkpoint, so the one beside can be brought to it.
    await retryWhileBusy(() => live.exec('BEGIN IMMEDIATE'), LOCK_PATIENCE_MS);
    await feed.reach(target.checkpoint());
    await feed.stop();
    replaceRows(beside, live, name);
    live.commit();
    return { name, outcome: 'rebuilt', position: target.checkpoint().toString(), event: null };
  } catch (error) {
    live.rollback();
    if (!(error instanceof HaltedByEvent)) throw error;
    const { stream, revision, errorClass } = error.event;
    return { name, outcome: 'stopped', position: null, event: { stream, revision, errorClass } };
  } finally {
    await feed.stop();
    beside.close();
    live.close();
    removeBeside();
  }
}

class HaltedByEvent extends Error {
  constructor(readonly event: ParkedEvent) {
    super('an event cannot be taken in');
  }
}

/** Follows the log until it is somewhere, or meets an event that stops it. */
class StoppableFeed {
  readonly #runner: FeedRunner;
  readonly #halted: Promise<never>;

  constructor({ name }: Disposable, consumer: ConstructorParameters<typeof FeedRunner>[0], ports: FeedRunnerPorts) {
    let halt: (reason: unknown) => void = () => {};
    this.#halted = new Promise((_, reject) => {
      halt = reject;
    });
    this.#halted.catch(() => {});
    this.#runner = new FeedRunner(consumer, ports, {
      haltOnPoison: true,
      report: (report) => {
        if (report.kind === 'halted') halt(new HaltedByEvent(report.event));
        if (report.kind === 'retrying' && report.failures > 5) halt(new CannotRun(`${name}: ${report.errorClass}`));
      },
    });
    this.#runner.start();
  }

  async reach(position: bigint): Promise<void> {
    await Promise.race([this.#runner.waitFor(position), this.#halted]);
  }

  async stop(): Promise<void> {
    await this.#runner.stop();
  }
}

function inWords({ name, outcome, position, event }: Rebuilt): string {
  if (outcome === 'rebuilt') return `${name} is made anew up to position ${position}.`;
  if (outcome === 'made_at_next_start') return `${name} has no file; the next start makes it.`;
  return `FAULT ${event?.stream} at ${event?.revision}: ${event?.errorClass}. ${name} stays as it was.`;
}
