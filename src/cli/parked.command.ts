import { DATA_FILES, type DataFile } from '../config/data-files.js';
import { EventCodec } from '../event-store/codec.js';
import { EVENT_CATALOGUE } from '../events/event-catalogue.js';
import { retryWhileBusy } from '../sqlite/busy.js';
import { openDatabase } from '../sqlite/open-database.js';
import { openIfCurrent } from '../subscriptions/disposable-database.js';
import { SubscribersFile } from '../subscriptions/durable/subscribers-file.js';
import type { ParkedEvent } from '../subscriptions/feed-consumer.js';
import { consumersIn, FeedProgress } from '../subscriptions/feed-progress.js';
import { mendStream } from '../subscriptions/mend-stream.js';
import type { Command, CommandOutcome } from './command.js';
import type { DataFolder } from './data-folder.js';
import { DISPOSABLES, type Disposable } from './disposables.js';
import { CannotRun, UsageMistake } from './failures.js';
import { withLog } from './log-ports.js';

export const PARKED: Command = {
  name: 'parked',
  usage: 'parked list | parked retry NAME',
  summary: 'lists events that something could not take in, and has them tried again',
  help: `\`parked list\` shows the events that a subscriber, the due table or a read model could not take in and passed over, by
place and class of error. It exits with 1 where there are any.

\`parked retry NAME\` has those of one of them tried again: a read model and the due table at once, each stream anew from
its beginning; a subscriber by the service that delivers to it, within some seconds.`,
  arguments: [1, 2],
  run: async (context) => {
    const [action, name] = context.args;
    context.data.assertReady();
    if (action === 'list' && name === undefined) return list(context.data);
    if (action === 'retry' && name !== undefined) return await retry(context.data, name);
    throw new UsageMistake('Usage: holdpoint parked list | parked retry NAME');
  },
};

/** Files with the progress of those who follow the log. */
const FOLLOWERS: readonly DataFile[] = ['readModels', 'audit', 'records', 'due', 'erasures', 'subscribers'];

interface ParkedOf {
  readonly name: string;
  readonly events: readonly (Omit<ParkedEvent, 'position'> & { readonly position: string })[];
}

function list(data: DataFolder): CommandOutcome {
  const parked = FOLLOWERS.filter((file) => data.has(file)).flatMap((file) => parkedIn(data.file(file)));
  const events = parked.flatMap(({ name, events }) =>
    events.map(({ stream, revision, type, errorClass, parkedAt }) => {
      return `${name}: event ${revision} of ${stream} (${type}), ${errorClass}, parked ${parkedAt}`;
    }),
  );
  return {
    faulty: events.length > 0,
    report: { parked },
    lines: events.length === 0 ? ['Nothing is parked.'] : events,
  };
}

function parkedIn(path: string): ParkedOf[] {
  const database = openDatabase(path, { readOnly: true });
  try {
    return consumersIn(database).flatMap((name) => {
      const events = new FeedProgress(database, name).parked();
      if (events.length === 0) return [];
      return [{ name, events: events.map((event) => ({ ...event, position: event.position.toString() })) }];
    });
  } finally {
    database.close();
  }
}

async function retry(data: DataFolder, name: string): Promise<CommandOutcome> {
  const disposable = DISPOSABLES.find((candidate) => candidate.name === name);
  return disposable === undefined ? await askSubscriber(data, name) : await mend(data, disposable);
}

function unknownName(name: string, subscribers: readonly string[]): UsageMistake {
  const names = [...DISPOSABLES.map((disposable) => disposable.name), ...subscribers];
  return new UsageMistake(`There is no "${name}" to retry; there are ${names.join(', ')}.`);
}

/** Only the service has the subscriber's code. */
async function askSubscriber(data: DataFolder, name: string): Promise<CommandOutcome> {
  if (!data.has('subscribers')) throw unknownName(name, []);
  const file = SubscribersFile.open(data.file('subscribers'));
  try {
    const subscribers = consumersIn(file.database);
    if (!subscribers.includes(name)) throw unknownName(name, subscribers);
    await retryWhileBusy(() => file.askForRetry(name));
  } finally {
    file.close();
  }
  return {
    faulty: false,
    report: { name, asked: true },
    lines: [`The service that delivers to ${name} tries what is parked again within some seconds.`],
  };
}

async function mend(data: DataFolder, { name, file, kind, consumerOn }: Disposable): Promise<CommandOutcome> {
  data.assertReady('log', file);
  const database = openIfCurrent(data.file(file), kind);
  if (database === undefined) {
    throw new CannotRun(`${DATA_FILES[file]} is damaged or of another version than this command: restart the service.`);
  }
  const mended: string[] = [];
  const still: string[] = [];
  try {
    const consumer = consumerOn(database);
    await withLog(data, async (store) => {
      const ports = { store, codec: new EventCodec(EVENT_CATALOGUE) };
      for (const stream of consumer.parkedStreams?.() ?? []) {
        ((await mendStream(consumer, ports, stream)) ? mended : still).push(stream);
      }
    });
    return {
      faulty: still.length > 0,
      report: { name, mended, stillParked: still },
      lines: [
        `${mended.length} streams were taken in anew.`,
        ...still.map((stream) => `FAULT ${stream} stays parked.`),
      ],
    };
  } finally {
    database.close();
  }
}
