import { DamagedKey } from '../errors.js';
import { type DataKey, type KeyScope, keyId, type StreamKeys } from '../key-store.js';
import type { MasterKeys } from '../master-keys.js';
import { DESTROYED, type WrappedKeys } from './key-rows.js';

/**
 * The keys of a stream as they were stored.
 *
 * @throws {DamagedKey} one of them was changed by somebody else, or its master key is not to be had.
 */
export function unwrappedKeys(masterKeys: MasterKeys, stream: string, wrapped: WrappedKeys): StreamKeys {
  const working = unwrapped(masterKeys, stream, 'working', wrapped);
  const outcome = unwrapped(masterKeys, stream, 'outcome', wrapped);
  return { ...(working && { working }), ...(outcome && { outcome }) };
}

function unwrapped(masterKeys: MasterKeys, stream: string, scope: KeyScope, wrapped: WrappedKeys): DataKey | undefined {
  if (isDestroyed(wrapped[scope])) return undefined;
  const id = keyId(stream, scope);
  try {
    return { id, secret: masterKeys.unwrap(wrapped[scope], id) };
  } catch (cause) {
    throw new DamagedKey(id, cause);
  }
}

export function isDestroyed(wrapped: Uint8Array): boolean {
  return Buffer.compare(wrapped, DESTROYED) === 0;
}
