import type { Database, Statement } from '../../sqlite/database.js';
import type { KeyScope } from '../key-store.js';
import { WRAPPED_BYTES } from '../master-key.js';

/** Stands where a wrapped key was. No wrapped key looks like it. */
export const DESTROYED = new Uint8Array(WRAPPED_BYTES);

/** Wrapped keys of both scopes. */
export type WrappedKeys = Readonly<Record<KeyScope, Uint8Array>>;

export type KeyRow = WrappedKeys & { readonly used: 0 | 1; readonly swept: 0 | 1 };

/** The statements on the table of wrapped keys. Those that write run inside a transaction. */
export class KeyRows {
  readonly #find: Statement<KeyRow>;
  readonly #insert: Statement<unknown>;
  readonly #replace: Statement<unknown>;
  readonly #touch: Statement<unknown>;
  readonly #destroy: Readonly<Record<KeyScope, Statement<unknown>>>;
  readonly #candidates: Statement<{ stream: string }>;
  readonly #markUsed: Statement<unknown>;
  readonly #sweep: Statement<unknown>;

  constructor(database: Database) {
    const unknownUse = 'used = 0 AND swept = 0';
    this.#find = database.prepare('SELECT working, outcome, used, swept FROM stream_keys WHERE stream = ?');
    this.#insert = database.prepare(
      'INSERT INTO stream_keys (stream, made_at, working, outcome) VALUES (:stream, :madeAt, :working, :outcome)',
    );
    this.#replace = database.prepare(
      `UPDATE stream_keys SET made_at = :madeAt, swept = 0, working = :working, outcome = :outcome
       WHERE stream = :stream`,
    );
    this.#touch = database.prepare(`UPDATE stream_keys SET made_at = ? WHERE stream = ? AND ${unknownUse}`);
    const destroy = (scope: KeyScope) => database.prepare(`UPDATE stream_keys SET ${scope} = ? WHERE stream = ?`);
    this.#destroy = { working: destroy('working'), outcome: destroy('outcome') };
    this.#candidates = database.prepare(
      `SELECT stream FROM stream_keys WHERE ${unknownUse} AND made_at < ? ORDER BY made_at LIMIT ?`,
    );
    this.#markUsed = database.prepare('UPDATE stream_keys SET used = 1 WHERE stream = ?');
    this.#sweep = database.prepare(
      `UPDATE stream_keys SET swept = 1, working = :destroyed, outcome = :destroyed
       WHERE stream = :stream AND ${unknownUse} AND made_at < :madeBefore`,
    );
  }

  find(stream: string): KeyRow | undefined {
    return this.#find.get(stream);
  }

  /** Stores the keys unless the stream has some. One that has, but no event yet, counts as just made. */
  create(stream: string, madeAt: number, keys: WrappedKeys): void {
    const row = this.find(stream);
    const { working, outcome } = keys;
    if (row === undefined) this.#insert.run({ stream, madeAt, working, outcome });
    else if (row.swept === 1) this.#replace.run({ stream, madeAt, working, outcome });
    else this.#touch.run(madeAt, stream);
  }

  destroy(stream: string, scope: KeyScope): void {
    this.#destroy[scope].run(DESTROYED, stream);
  }

  /** Streams whose keys were made before, and of which it is not known that they have events; the oldest first. */
  sweepCandidates(madeBefore: number, atMost: number): readonly string[] {
    return this.#candidates.all(madeBefore, atMost).map((row) => row.stream);
  }

  markUsed(stream: string): void {
    this.#markUsed.run(stream);
  }

  /** Destroys the keys of a stream unless they were asked for again meanwhile; tells whether it did. */
  sweep(stream: string, madeBefore: number): boolean {
    return this.#sweep.run({ stream, madeBefore, destroyed: DESTROYED }) > 0;
  }
}
