import { DamagedKey } from '../errors.js';
import type { NewEvent } from '../event-store.js';
import type { DataKey } from '../key-store.js';
import type { MasterKey } from '../master-key.js';
import type { MasterKeys } from '../master-keys.js';
import { SERVICE_PURPOSES, type ServicePurpose, serviceKeyId } from '../service-purposes.js';
import { type KeyStreams, serviceKeyKept, serviceKeysIn } from './key-streams.js';
import type { KurrentDbEventStore } from './kurrentdb-event-store.js';
import { appendUnlessOvertaken } from './master-key-marks.js';

export type ServiceKeys = ReadonlyMap<ServicePurpose, DataKey>;

/**
 * The keys of the whole service. Those that the log does not have yet are made from the master key, and kept wrapped by
 * it, unless the log is only to be looked at.
 *
 * @throws {DamagedKey} @throws {StoreUnavailable}
 */
export async function loadServiceKeys(
  log: KurrentDbEventStore,
  streams: KeyStreams,
  { masterKey, masterKeys, mayBegin }: { masterKey: MasterKey; masterKeys: MasterKeys; mayBegin: boolean },
): Promise<ServiceKeys> {
  let kept = serviceKeysIn(await log.read(streams.service));
  if (kept.size === 0 && mayBegin) {
    await appendUnlessOvertaken(log, streams.service, 'no_stream', wrappedAll(firstSecrets(masterKey), masterKey));
    kept = serviceKeysIn(await log.read(streams.service));
  }
  return new Map([...kept].map(([purpose, wrapped]) => [purpose, unwrapped(masterKeys, purpose, wrapped)]));
}

/** What they are made from at the first start. */
function firstSecrets(masterKey: MasterKey): ReadonlyMap<ServicePurpose, Buffer> {
  return new Map(SERVICE_PURPOSES.map((purpose) => [purpose, masterKey.derive(purpose).secret]));
}

function wrappedAll(secrets: ReadonlyMap<ServicePurpose, Buffer>, masterKey: MasterKey): NewEvent[] {
  return [...secrets].map(([purpose, secret]) =>
    serviceKeyKept(purpose, masterKey.wrap(secret, serviceKeyId(purpose))),
  );
}

/** Wraps all of them anew. @throws {DamagedKey} @throws {StoreUnavailable} @throws {RevisionConflict} somebody else does the same. */
export async function rewrapServiceKeys(
  log: KurrentDbEventStore,
  streams: KeyStreams,
  from: MasterKeys,
  to: MasterKey,
): Promise<void> {
  const events = await log.read(streams.service);
  // A log of an earlier version has none: then they are what they have been so far, made from the master key in use.
  const secrets = events.length === 0 ? firstSecrets(from.first) : unwrappedAll(from, serviceKeysIn(events));
  await log.append(streams.service, events[events.length - 1]?.revision ?? 'no_stream', wrappedAll(secrets, to));
}

function unwrappedAll(
  masterKeys: MasterKeys,
  kept: ReadonlyMap<ServicePurpose, Buffer>,
): ReadonlyMap<ServicePurpose, Buffer> {
  return new Map([...kept].map(([purpose, wrapped]) => [purpose, unwrapped(masterKeys, purpose, wrapped).secret]));
}

function unwrapped(masterKeys: MasterKeys, purpose: ServicePurpose, wrapped: Buffer): DataKey {
  const id = serviceKeyId(purpose);
  try {
    return { id, secret: masterKeys.unwrap(wrapped, id) };
  } catch (cause) {
    throw new DamagedKey(id, cause);
  }
}
