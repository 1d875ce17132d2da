import type { Database } from '../../sqlite/database.js';
import { DamagedKey } from '../errors.js';
import type { DataKey } from '../key-store.js';
import type { MasterKey } from '../master-key.js';
import type { MasterKeys } from '../master-keys.js';
import { SERVICE_PURPOSES, type ServicePurpose, serviceKeyId } from '../service-purposes.js';

/** Derives those that the file does not have yet from the master key, and keeps them wrapped by it. */
export function storeServiceKeys(database: Database, masterKey: MasterKey): void {
  const insert = database.prepare('INSERT OR IGNORE INTO service_keys (purpose, wrapped) VALUES (?, ?)');
  for (const purpose of SERVICE_PURPOSES) {
    insert.run(purpose, masterKey.wrap(masterKey.derive(purpose).secret, serviceKeyId(purpose)));
  }
}

/** @throws {StoreUnavailable} it was changed by somebody else. */
export function serviceKey(database: Database, masterKeys: MasterKeys, purpose: ServicePurpose): DataKey {
  const row = database
    .prepare<{ wrapped: Uint8Array }>('SELECT wrapped FROM service_keys WHERE purpose = ?')
    .get(purpose);
  const id = serviceKeyId(purpose);
  try {
    return { id, secret: masterKeys.unwrap(row?.wrapped ?? new Uint8Array(), id) };
  } catch (cause) {
    throw new DamagedKey(id, cause);
  }
}

/** Wraps all of them anew; part of a transaction. @throws {Error} one of them is damaged. */
export function rewrapServiceKeys(database: Database, from: MasterKeys, to: MasterKey): void {
  const rows = database.prepare<{ purpose: ServicePurpose; wrapped: Uint8Array }>(
    'SELECT purpose, wrapped FROM service_keys',
  );
  const update = database.prepare('UPDATE service_keys SET wrapped = ? WHERE purpose = ?');
  for (const { purpose, wrapped } of rows.all()) {
    update.run(to.wrap(from.unwrap(wrapped, serviceKeyId(purpose)), serviceKeyId(purpose)), purpose);
  }
}
