import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { DatabaseUnavailable, translated } from './errors.js';

export type SqlValue = null | number | bigint | string | Uint8Array;

/** Values for `?`, or one object of values for `:name`. */
export type SqlParameters = readonly SqlValue[] | [Readonly<Record<string, SqlValue>>];

export interface StatementOptions {
  /** Reads integers as `bigint`. Without it they are numbers, and one above 2^53−1 throws. */
  readonly bigints?: boolean;
}

/** A prepared statement. It keeps its database alive: the driver crashes the process when a statement outlives it. */
export class Statement<Row> {
  constructor(
    readonly database: Database,
    private readonly inner: StatementSyncInstance,
  ) {}

  /** Executes it and returns the number of rows that were changed. */
  run(...parameters: SqlParameters): number {
    try {
      return Number(this.inner.run(...parameters).changes);
    } catch (error) {
      throw translated(error);
    }
  }

  get(...parameters: SqlParameters): Row | undefined {
    try {
      return this.inner.get(...parameters);
    } catch (error) {
      throw translated(error);
    }
  }

  all(...parameters: SqlParameters): Row[] {
    try {
      return this.inner.all(...parameters) as Row[];
    } catch (error) {
      throw translated(error);
    }
  }

  /** Row by row. Leaving the loop ends the read; no write may happen inside the loop. */
  *iterate(...parameters: SqlParameters): IterableIterator<Row> {
    try {
      yield* this.inner.iterate(...parameters);
    } catch (error) {
      throw translated(error);
    }
  }
}

/** An open SQLite database. Everything is synchronous; a call that finds it locked fails at once with `busy`. */
export class Database {
  constructor(private readonly connection: DatabaseSyncInstance) {}

  get inTransaction(): boolean {
    return this.connection.isOpen && this.connection.isTransaction;
  }

  prepare<Row = unknown>(sql: string, options: StatementOptions = {}): Statement<Row> {
    try {
      return new Statement<Row>(this, this.connection.prepare(sql, { readBigInts: options.bigints ?? false }));
    } catch (error) {
      throw translated(error);
    }
  }

  exec(sql: string): void {
    try {
      this.connection.exec(sql);
    } catch (error) {
      throw translated(error);
    }
  }

  /**
   * Runs the work in one write transaction: all of it is committed, or none of it when it throws.
   *
   * @throws {DatabaseUnavailable} `outcomeUnknown` is true when the commit itself failed.
   */
  transaction<T>(work: () => T): T {
    this.exec('BEGIN IMMEDIATE');
    let result: T;
    try {
      result = work();
    } catch (error) {
      this.rollback();
      throw error;
    }
    this.commit();
    return result;
  }

  /** Commits, or rolls back and throws that the outcome is unknown: the frames may have reached the file. */
  commit(): void {
    try {
      this.connection.exec('COMMIT');
    } catch (error) {
      this.rollback();
      throw new DatabaseUnavailable('commit_failed', true, { cause: error });
    }
  }

  /**
   * Ends the transaction, if one is open, without its changes. Never throws: a full disk or an I/O error has ended it
   * already, and one that cannot be ended makes the next transaction fail.
   */
  rollback(): void {
    try {
      if (this.inTransaction) this.connection.exec('ROLLBACK');
    } catch {}
  }

  /**
   * Closes, and leaves all that was written in the file itself, as far as other processes let it: statements outlive
   * their connection in the driver, so that SQLite does not empty the write-ahead log by itself. Closing twice is
   * harmless.
   */
  close(): void {
    if (!this.connection.isOpen) return;
    try {
      this.connection.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {}
    this.connection.close();
  }
}
