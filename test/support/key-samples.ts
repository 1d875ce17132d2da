import { MasterKey } from '../../src/event-store/master-key.js';

/** A new master key. */
export function aMasterKey(): MasterKey {
  return MasterKey.parse(MasterKey.generate(), 'this test');
}
