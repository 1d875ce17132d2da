import { randomUUID } from 'node:crypto';
import { StoreUnavailable } from '../errors.js';
import type { NewEvent, StoredEvent } from '../event-store.js';
import { KEY_SCOPES, type KeyScope, keyId } from '../key-store.js';
import { SERVICE_PURPOSES, type ServicePurpose } from '../service-purposes.js';

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

  /** The id of the key that is kept in a stream. */
  keyIdOf(keyStream: string): string {
    const scope = KEY_SCOPES.find((candidate) => keyStream.startsWith(this.prefixOf(candidate))) ?? 'working';
    return keyId(keyStream.slice(this.prefixOf(scope).length), scope);
  }

  /** Tells which master key wraps the keys. */
  get masterKey(): string {
    return `${this.prefix}keystore-master`;
  }

  /** Tells how far orphans were looked for. */
  get sweep(): string {
    return `${this.prefix}keystore-sweep`;
  }

  /** Has the keys of the whole service. */
  get service(): string {
    return `${this.prefix}keystore-service`;
  }

  /** Tells how far keys were wrapped anew, while the master key is changed. */
  get change(): string {
    return `${this.prefix}keystore-change`;
  }
}

/**
 * The one event of a key's stream, written again whenever somebody asks for the key that they are about to use. It has the
 * whole key each time: an append at the last revision of a stream that was removed in between begins the stream anew.
 */
const KEPT = 'StreamKeyKept';
const MASTER_KEY_MARKED = 'MasterKeyMarked';
const CHANGE_BEGUN = 'MasterKeyChangeBegun';
const SERVICE_KEY_KEPT = 'ServiceKeyKept';
const KEYS_REWRAPPED = 'KeysRewrapped';
const ORPHANS_SWEPT = 'OrphansSwept';

/** @param at epoch milliseconds. */
export function keyKept(wrapped: Buffer, at: number): NewEvent {
  return event(KEPT, { wrapped: wrapped.toString('base64'), at });
}

export function masterKeyMarked(checkValue: Buffer): NewEvent {
  return event(MASTER_KEY_MARKED, { checkValue: checkValue.toString('base64') });
}

/** From here on keys are wrapped with the next master key. */
export function masterKeyChangeBegun(nextCheckValue: Buffer): NewEvent {
  return event(CHANGE_BEGUN, { checkValue: nextCheckValue.toString('base64') });
}

export function serviceKeyKept(purpose: ServicePurpose, wrapped: Buffer): NewEvent {
  return event(SERVICE_KEY_KEPT, { purpose, wrapped: wrapped.toString('base64') });
}

/** @param position everything up to here is wrapped with the master key of the check value. */
export function keysRewrapped(checkValue: Buffer, position: bigint): NewEvent {
  return event(KEYS_REWRAPPED, { checkValue: checkValue.toString('base64'), position: position.toString() });
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

/** What the log says about the master keys that its keys are wrapped with. */
export interface MasterKeyMarks {
  /** Check value of the one in use. */
  readonly inUse: Buffer;
  /** Check value of the next one, while the master key is changed. */
  readonly next: Buffer | undefined;
  /** Of the last event about it. */
  readonly revision: number;
}

/** Undefined before the first start. */
export function masterKeyMarksIn(events: readonly StoredEvent[]): MasterKeyMarks | undefined {
  const inUse = events.findLast(({ type }) => type === MASTER_KEY_MARKED);
  const last = events[events.length - 1];
  if (inUse === undefined || last === undefined) return undefined;
  const begun = events.findLast(({ type, revision }) => type === CHANGE_BEGUN && revision > inUse.revision);
  return { inUse: checkValueIn(inUse), next: begun && checkValueIn(begun), revision: last.revision };
}

/** The keys of the whole service, each as it was wrapped last. */
export function serviceKeysIn(events: readonly StoredEvent[]): ReadonlyMap<ServicePurpose, Buffer> {
  const kept = new Map<ServicePurpose, Buffer>();
  for (const event of events) {
    const purpose = SERVICE_PURPOSES.find((candidate) => candidate === membersOf(event).purpose);
    if (event.type === SERVICE_KEY_KEPT && purpose !== undefined) {
      kept.set(purpose, Buffer.from(textIn(event, 'wrapped'), 'base64'));
    }
  }
  return kept;
}

/** Up to where keys were wrapped with the master key of the check value; undefined where that was not begun. */
export function rewrappedUpTo(events: readonly StoredEvent[], checkValue: Buffer): bigint | undefined {
  const last = events.findLast((event) => event.type === KEYS_REWRAPPED && checkValueIn(event).equals(checkValue));
  return last === undefined ? undefined : positionIn(last);
}

function checkValueIn(event: StoredEvent): Buffer {
  return Buffer.from(textIn(event, 'checkValue'), 'base64');
}

export function sweptUpTo(event: StoredEvent): bigint {
  return positionIn(event);
}

function positionIn(event: StoredEvent): bigint {
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
