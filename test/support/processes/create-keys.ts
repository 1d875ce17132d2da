import { MasterKey } from '../../../src/event-store/master-key.js';
import { SqliteKeyStore } from '../../../src/event-store/sqlite/sqlite-key-store.js';

/**
 * `create-keys <file> <master key> <streams>`: opens the key store, creates the keys of so many streams, all at once,
 * and sends the secrets of all of them (hexadecimal) in one message.
 */
const [path, masterKey, streams] = process.argv.slice(2) as [string, string, string];

const store = SqliteKeyStore.open({ path, masterKey: MasterKey.parse(masterKey, 'the arguments') });
const made = await Promise.all(Array.from({ length: Number(streams) }, (_, index) => store.create(`run-${index}`)));
process.send?.(made.map((keys) => `${keys.working?.secret.toString('hex')} ${keys.outcome?.secret.toString('hex')}`));
await store.close();
process.disconnect();
