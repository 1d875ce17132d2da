import { randomUUID } from 'node:crypto';
import { StoreUnavailable } from '../errors.js';
import type { NewEvent, StoredEvent } from '../event-store.js';
import type { KeyScope } from '../key-store.js';

/**
 * Names and events of the streams in which keys are kept. They are the storage format: each key has a stream of its own,
 * so that destroying it is removing a stream, and leaves the stream's other key alone.
 */
export class KeyStreams {
  constructor(private readonly prefix: string) {}

  /** Where the key of a scope is kept for a stream. */
  of(stream: string, scope: KeyScope): string {
    return `${this.prefixOf(scope)}${stream}`;
  }

  prefixOf(scope: KeyScope): string {
    return `${this.prefix}${scope}key-`;
  }

  /** Whose keys are kept in the stream of working keys of this name. */
  ownerOf(workingKeyStream: string): string {
    return workingKeyStream.slice(this.prefixOf('working').length);
  }

  /** Tells which master key wraps the keys. */
  get masterKey(): string {
    return `${this.prefix}keystore-master`;
  }

  /** Tells how far orphans were looked for. */
  get sweep(): string {
    return `${this.prefix}keystore-sweep`;
  }
}

/**
 * The one event of a key's stream, written again whenever somebody asks for the key that they are about to use. It has the
 * whole key each time: an append at the last revision of a stream that was removed in between begins the stream anew.
 */
const KEPT = 'StreamKeyKept';
const MASTER_KEY_MARKED = 'MasterKeyMarked';
const ORPHANS_SWEPT = 'OrphansSwept';

/** @param at epoch milliseconds. */
export function keyKept(wrapped: Buffer, at: number): NewEvent {
  return event(KEPT, { wrapped: wrapped.toString('base64'), at });
}

export function masterKeyMarked(checkValue: Buffer): NewEvent {
  return event(MASTER_KEY_MARKED, { checkValue: checkValue.toString('base64') });
}

/** @param position everything up to here was judged. */
export function orphansSwept(position: bigint): NewEvent {
  return event(ORPHANS_SWEPT, { position: position.toString() });
}

/** The wrapped key in a key's stream; undefined when the stream is not there. */
export function wrappedIn(events: readonly StoredEvent[]): Buffer | undefined {
  const last = events.findLast(({ type }) => type === KEPT);
  return last === undefined ? undefined : Buffer.from(textIn(last, 'wrapped'), 'base64');
}

/** When a key was made or asked for, epoch milliseconds; undefined for events that do not tell. */
export function keptAt(event: StoredEvent): number | undefined {
  if (event.type !== KEPT) return undefined;
  const at = membersOf(event).at;
  if (typeof at !== 'number') throw damaged(event);
  return at;
}

export function checkValueIn(event: StoredEvent): Buffer {
  return Buffer.from(textIn(event, 'checkValue'), 'base64');
}

export function sweptUpTo(event: StoredEvent): bigint {
  const position = textIn(event, 'position');
  if (!/^-?\d+$/.test(position)) throw damaged(event);
  return BigInt(position);
}

function event(type: string, data: object): NewEvent {
  // A fresh id each time: a stream that was removed still knows the ids that were in it.
  return { id: randomUUID(), type, data: JSON.stringify(data), metadata: '{"schemaVersion":1}' };
}

function textIn(event: StoredEvent, member: string): string {
  const text = membersOf(event)[member];
  if (typeof text !== 'string') throw damaged(event);
  return text;
}

function membersOf(event: StoredEvent): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(event.data) ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    throw damaged(event);
  }
}

/** Somebody else wrote into our streams; what is to be done about that is up to a person. */
function damaged({ stream, revision }: StoredEvent): StoreUnavailable {
  return new StoreUnavailable(`event ${revision} of ${stream} is damaged`, false);
}
