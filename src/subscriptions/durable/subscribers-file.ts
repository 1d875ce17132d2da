import type { Database, Statement } from '../../sqlite/database.js';
import type { Migrations } from '../../sqlite/migrations.js';
import { openDatabase } from '../../sqlite/open-database.js';
import { FEED_TABLES } from '../feed-progress.js';

const MIGRATIONS: Migrations = {
  applicationId: 0x48505355, // "HPSU"
  steps: [
    `${FEED_TABLES}
     CREATE TABLE leases (consumer TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
     CREATE TABLE retries (consumer TEXT PRIMARY KEY) STRICT;`,
  ],
};

/**
 * The checkpoints of durable subscribers, and who delivers to whom. Not disposable: without it every subscriber gets
 * every event again. All processes on a data folder share it.
 */
export class SubscribersFile {
  readonly #hold: Statement<unknown>;
  readonly #release: Statement<unknown>;
  readonly #askForRetry: Statement<unknown>;
  readonly #takeRetry: Statement<unknown>;

  constructor(readonly database: Database) {
    this.#hold = database.prepare(
      `INSERT INTO leases (consumer, holder, expires_at) VALUES (:consumer, :holder, :until)
       ON CONFLICT DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
       WHERE holder = excluded.holder OR expires_at <= :now OR expires_at > :until`,
    );
    this.#release = database.prepare('DELETE FROM leases WHERE consumer = ? AND holder = ?');
    this.#askForRetry = database.prepare('INSERT INTO retries (consumer) VALUES (?) ON CONFLICT DO NOTHING');
    this.#takeRetry = database.prepare('DELETE FROM retries WHERE consumer = ?');
  }

  /** @throws {SchemaUnknown} it is something else, or of a newer version. @throws {DatabaseUnavailable} */
  static open(path: string): SubscribersFile {
    return new SubscribersFile(openDatabase(path, { migrations: MIGRATIONS }));
  }

  /**
   * Takes or renews the right to deliver to a consumer; false while somebody else has it. Times in epoch milliseconds. A
   * right that lasts beyond `until` is one of a clock that was set back since, and counts no more.
   */
  hold(consumer: string, holder: string, now: number, until: number): boolean {
    return this.#hold.run({ consumer, holder, now, until }) > 0;
  }

  release(consumer: string, holder: string): void {
    this.#release.run(consumer, holder);
  }

  /** Has whoever delivers to the consumer try again what is parked. */
  askForRetry(consumer: string): void {
    this.#askForRetry.run(consumer);
  }

  /** True when somebody asked for it since it was last asked. */
  takeRetry(consumer: string): boolean {
    return this.#takeRetry.run(consumer) > 0;
  }

  close(): void {
    this.database.close();
  }
}
