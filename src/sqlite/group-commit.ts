import { isBusy, LOCK_PATIENCE_MS, pauseBeforeRetryMs } from './busy.js';
import type { Database, Statement } from './database.js';
import { DatabaseUnavailable } from './errors.js';

/** A group is committed at the latest with this many writes or bytes in it, so that no commit takes long. */
const MAX_GROUP_WRITES = 64;
const MAX_GROUP_BYTES = 1024 * 1024;

/** What may wait in all; a write counts as at least one kibibyte. Above it writes are refused at once. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const MIN_WRITE_BYTES = 1024;

interface Write {
  readonly work: () => unknown;
  readonly bytes: number;
  readonly since: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

export interface GroupCommitOptions {
  /** How long a write waits for another process's lock before it fails as `busy`, in milliseconds. Default 2000. */
  readonly lockPatienceMs?: number;
}

/**
 * Commits the writes that wait at the same moment together: one `fdatasync` for up to 64 of them.
 *
 * Each write runs under a savepoint of its own and has its own result. Nothing is told to anybody before the commit,
 * a failure of a write included: what it saw may have been an earlier write of the same group.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #patienceMs: number;
  readonly #savepoint: Statement<unknown>;
  readonly #release: Statement<unknown>;
  readonly #undo: Statement<unknown>;
  #waiting: Write[] = [];
  #waitingBytes = 0;
  #scheduled = false;
  #lockedSince: number | undefined;
  #lockRetries = 0;
  #closed = false;
  #whenIdle: (() => void)[] = [];

  constructor(database: Database, options: GroupCommitOptions = {}) {
    this.#database = database;
    this.#patienceMs = options.lockPatienceMs ?? LOCK_PATIENCE_MS;
    this.#savepoint = database.prepare('SAVEPOINT one_write');
    this.#release = database.prepare('RELEASE one_write');
    this.#undo = database.prepare('ROLLBACK TO one_write');
  }

  /**
   * Runs the work, which must be synchronous, in the next group, and resolves with what it returns once that is
   * durable. When it throws, nothing of it is written and the promise rejects with that error.
   *
   * @param bytes roughly what it writes; groups are bounded by it.
   * @throws {DatabaseUnavailable} the group was not committed; `outcomeUnknown` when its commit failed half-way.
   */
  write<T>(work: () => T, bytes = 0): Promise<T> {
    const counted = Math.max(bytes, MIN_WRITE_BYTES);
    if (this.#closed) return Promise.reject(new DatabaseUnavailable('closed', false));
    if (this.#waitingBytes + counted > MAX_WAITING_BYTES) {
      return Promise.reject(new DatabaseUnavailable('overloaded', false));
    }
    return new Promise<T>((resolve, reject) => {
      const since = performance.now();
      this.#waiting.push({ work, bytes: counted, since, resolve: resolve as Write['resolve'], reject });
      this.#waitingBytes += counted;
      this.#schedule();
    });
  }

  /** Takes no more writes and resolves when all that wait are settled. Leaves the database open. */
  close(): Promise<void> {
    this.#closed = true;
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
      this.#schedule();
    });
  }

  /** An immediate that is set inside an immediate runs after I/O, so requests and reads come between two groups. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#scheduled = false;
    if (this.#waiting.length > 0) this.#commitNextGroup();
    if (this.#waiting.length > 0) this.#schedule();
    else if (!this.#scheduled) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #commitNextGroup(): void {
    try {
      this.#database.rollback();
      this.#database.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if (isBusy(error)) this.#waitForLock(error);
      else rejectAll(this.#takeGroup(), error);
      return;
    }
    this.#lockedSince = undefined;
    this.#lockRetries = 0;
    const group = this.#takeGroup();
    try {
      const outcomes = group.map((write) => this.#attempt(write));
      this.#database.commit();
      group.forEach((write, index) => {
        settle(write, outcomes[index] as Outcome);
      });
    } catch (error) {
      this.#database.rollback();
      rejectAll(group, error);
    }
  }

  /** @throws what makes the whole group fail: the database is unavailable, or SQLite has ended the transaction. */
  #attempt(write: Write): Outcome {
    this.#savepoint.run();
    let outcome: Outcome;
    try {
      outcome = { value: write.work() };
    } catch (error) {
      if (error instanceof DatabaseUnavailable || !this.#database.inTransaction) throw error;
      this.#undo.run();
      outcome = { error };
    }
    this.#release.run();
    return outcome;
  }

  #takeGroup(): Write[] {
    let bytes = 0;
    let count = 0;
    for (const write of this.#waiting) {
      if (count === MAX_GROUP_WRITES || (count > 0 && bytes + write.bytes > MAX_GROUP_BYTES)) break;
      bytes += write.bytes;
      count += 1;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  /** Tries again by timer. A write's patience starts when it came or when the lock was found taken, whatever is later. */
  #waitForLock(error: unknown): void {
    const now = performance.now();
    const lockedSince = this.#lockedSince ?? now;
    const isPatient = (write: Write) => now - Math.max(write.since, lockedSince) < this.#patienceMs;
    const impatient = this.#waiting.filter((write) => !isPatient(write));
    this.#waiting = this.#waiting.filter(isPatient);
    for (const write of impatient) this.#waitingBytes -= write.bytes;
    rejectAll(impatient, error);
    this.#lockedSince = this.#waiting.length > 0 ? lockedSince : undefined;
    if (this.#waiting.length === 0) return;
    this.#scheduled = true;
    setTimeout(() => this.#next(), pauseBeforeRetryMs(this.#lockRetries++));
  }
}

function settle(write: Write, outcome: Outcome): void {
  if ('error' in outcome) write.reject(outcome.error);
  else write.resolve(outcome.value);
}

function rejectAll(writes: readonly Write[], error: unknown): void {
  const unavailable =
    error instanceof DatabaseUnavailable ? error : new DatabaseUnavailable('io', false, { cause: error });
  for (const write of writes) write.reject(unavailable);
}
