import type { Database, Statement } from '../../sqlite/database.js';
import { StoreUnavailable } from '../errors.js';
import { type MasterKey, MasterKeyUnusable } from '../master-key.js';
import type { MasterKeys } from '../master-keys.js';

interface Marks {
  readonly check_value: Uint8Array;
  readonly next_check_value: Uint8Array | null;
}

/** What the file says about the master keys that its keys are wrapped with. */
export class MasterKeyMarks {
  readonly #marks: Statement<Marks>;

  constructor(
    database: Database,
    private readonly masterKeys: MasterKeys,
  ) {
    this.#marks = database.prepare(
      'SELECT check_value, next_check_value FROM master_key LEFT JOIN master_key_change USING (one)',
    );
  }

  /**
   * The master key that a key is to be wrapped with now: while it is being changed the next one, if this process can get
   * at it. Called in the transaction that writes what was wrapped, so that no change falls between.
   *
   * @throws {StoreUnavailable} the master key was changed, and this process was only given the old one.
   */
  toWrapWith(): MasterKey {
    const marks = this.#marks.get() as Marks;
    const next = marks.next_check_value && this.masterKeys.withCheckValue(marks.next_check_value);
    const key = next ?? this.masterKeys.withCheckValue(marks.check_value);
    if (key === undefined)
      throw new StoreUnavailable('the master key was changed; this process has the old one', false);
    return key;
  }
}

/**
 * Leaves a mark of the first master key in the file, and refuses every other (SEA-4).
 *
 * @throws {MasterKeyUnusable} `wrong`
 */
export function markMasterKey(database: Database, masterKeys: MasterKeys): MasterKey {
  const mark = database.transaction(() => {
    database.prepare('INSERT OR IGNORE INTO master_key VALUES (1, ?)').run(masterKeys.first.checkValue);
    return database.prepare<{ check_value: Uint8Array }>('SELECT check_value FROM master_key').get()?.check_value;
  });
  return markedKey(mark, masterKeys);
}

/** @throws {MasterKeyUnusable} `wrong` */
export function markedKey(mark: Uint8Array | undefined, masterKeys: MasterKeys): MasterKey {
  const key = mark && masterKeys.withCheckValue(mark);
  if (key === undefined) {
    throw new MasterKeyUnusable(
      'wrong',
      'The master key is not the one that the stored keys were wrapped with. Start with the key that belongs to this data.',
    );
  }
  return key;
}
