import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredEvent } from '../../src/event-store/event-store.js';
import { KEY_SCOPES, keyId, type StreamKeys } from '../../src/event-store/key-store.js';
import type { JsonObject } from '../../src/events/json.js';
import type { MemoryKeys } from '../support/memory-key-store.js';
import type { MemoryLog } from '../support/memory-log.js';

/*
 * A history as it was recorded once: the events of a log as they were stored, and the keys that open what is sealed in
 * them. A committed history is never edited; it stands for logs that are out there.
 */

const FOLDER = join(__dirname, 'recorded');

export interface History {
  /** What happened, for people. */
  readonly about: string;
  readonly runId: string;
  /** What today's code has to make of it. */
  readonly expected: {
    readonly status: string;
    /** Opened content, by the type of event and in its order. */
    readonly content: readonly { readonly type: string; readonly content: JsonObject }[];
  };
  readonly events: readonly {
    readonly stream: string;
    readonly id: string;
    readonly type: string;
    readonly data: string;
    readonly metadata: string;
  }[];
  /** Base64, by stream and scope. */
  readonly keys: { readonly [stream: string]: { readonly [scope: string]: string } };
}

export function recordedHistories(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

export function readHistory(name: string): History {
  return JSON.parse(readFileSync(fileOf(name), 'utf8')) as History;
}

/** Writes a history that is not there yet. */
export function writeHistory(name: string, history: History): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(name), `${JSON.stringify(history, null, 2)}\n`, { flag: 'wx' });
}

/** Puts a history into a log and a key store that have nothing yet. */
export function restore({ events, keys }: Pick<History, 'events' | 'keys'>, log: MemoryLog, store: MemoryKeys): void {
  for (const { stream, ...event } of events) {
    const length = log.read(stream, 0).length;
    log.append(stream, length === 0 ? 'no_stream' : length - 1, [event]);
  }
  for (const [stream, scopes] of Object.entries(keys)) {
    const secrets = Object.entries(scopes).map(([scope, secret]) => {
      const known = KEY_SCOPES.find((one) => one === scope) ?? 'working';
      return [known, { id: keyId(stream, known), secret: Buffer.from(secret, 'base64') }];
    });
    store.entries.set(stream, { keys: Object.fromEntries(secrets), madeAt: 0, used: true, swept: false });
  }
}

/** Everything of a log and its keys, in the order in which it happened. */
export function snapshot(log: MemoryLog, store: MemoryKeys): Pick<History, 'events' | 'keys'> {
  return {
    events: log.events.map(({ stream, id, type, data, metadata }: StoredEvent) => ({
      stream,
      id,
      type,
      data,
      metadata,
    })),
    keys: Object.fromEntries([...store.entries].map(([stream, { keys }]) => [stream, encoded(keys)])),
  };
}

function encoded(keys: StreamKeys): Record<string, string> {
  return Object.fromEntries(
    KEY_SCOPES.flatMap((scope) => {
      const key = keys[scope];
      return key === undefined ? [] : [[scope, key.secret.toString('base64')]];
    }),
  );
}

function fileOf(name: string): string {
  return join(FOLDER, `${name}.json`);
}
