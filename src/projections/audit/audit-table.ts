import { StoreUnavailable } from '../../event-store/errors.js';
import type { Database, Statement } from '../../sqlite/database.js';
import { DatabaseUnavailable } from '../../sqlite/errors.js';
import { openDisposable } from '../../subscriptions/disposable-database.js';
import type { AuditEntry, ShownCall, ShownTurn } from './audit-entry.js';
import { AUDIT_MODEL } from './audit-file.js';
import { type AuditFilter, type AuditPlace, auditListQuery } from './audit-list-query.js';

interface StoredEntry {
  readonly position: bigint;
  readonly at: string;
  readonly entry: string;
}

interface StoredTurn {
  readonly turn_digest: string | null;
  readonly calls: string;
}

/** The rows of the audit, and what of turns is remembered for them. */
export class AuditTable {
  readonly #put: Statement<unknown>;
  readonly #deleteEntries: Statement<unknown>;
  readonly #answered: Statement<unknown>;
  readonly #latest: Statement<StoredTurn>;
  readonly #waits: Statement<unknown>;
  readonly #settled: Statement<unknown>;
  readonly #keepTurn: Statement<unknown>;
  readonly #turn: Statement<StoredTurn>;
  readonly #lists = new Map<string, Statement<StoredEntry>>();

  constructor(readonly database: Database) {
    this.#put = database.prepare(
      `INSERT INTO audit (position, stream, at, kind, actor_id, run_id, entry) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (position) DO UPDATE SET entry = excluded.entry`,
    );
    // Without an index: it is asked only for a stream that could not be read before.
    this.#deleteEntries = database.prepare('DELETE FROM audit WHERE stream = ?');
    this.#answered = database.prepare(
      `INSERT INTO latest_turns (run_id, turn_digest, calls) VALUES (?, NULL, ?)
       ON CONFLICT (run_id) DO UPDATE SET turn_digest = NULL, calls = excluded.calls`,
    );
    this.#latest = database.prepare('SELECT turn_digest, calls FROM latest_turns WHERE run_id = ?');
    this.#waits = database.prepare(
      `INSERT INTO latest_turns (run_id, turn_digest, calls) VALUES (?, ?, ?)
       ON CONFLICT (run_id) DO UPDATE SET turn_digest = excluded.turn_digest`,
    );
    this.#settled = database.prepare('DELETE FROM latest_turns WHERE run_id = ?');
    this.#keepTurn = database.prepare(
      'INSERT INTO turns (run_id, turn_digest, calls) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#turn = database.prepare('SELECT turn_digest, calls FROM turns WHERE run_id = ? AND turn_digest = ?');
  }

  /** @throws {SchemaUnknown} the file is something else. @throws {DatabaseUnavailable} */
  static open(path: string): AuditTable {
    return new AuditTable(openDisposable(path, AUDIT_MODEL));
  }

  /** Newest first. @param before the place of an entry, exclusive. @throws {StoreUnavailable} */
  list(filter: AuditFilter, before: AuditPlace | undefined, limit: number): AuditEntry[] {
    const { sql, parameters } = auditListQuery(filter, before, limit);
    try {
      return this.#list(sql)
        .all(...parameters)
        .map(({ entry }) => JSON.parse(entry));
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      throw new StoreUnavailable(`the audit cannot be read: ${error.message}`, false, { cause: error });
    }
  }

  put(stream: string, entry: AuditEntry): void {
    const { id, at, kind, actor, runId } = entry;
    this.#put.run(BigInt(id), stream, at, kind, actor.id, runId ?? null, JSON.stringify(entry));
  }

  /** Forgets what a stream has brought. */
  deleteEntries(stream: string): void {
    this.#deleteEntries.run(stream);
  }

  /** The model answered with calls about which somebody will be asked. */
  answered(runId: string, calls: readonly ShownCall[]): void {
    this.#answered.run(runId, JSON.stringify(calls));
  }

  /** The run waits with that answer. @param requests what is told where its calls are not known */
  waits(runId: string, turnDigest: string, requests: readonly ShownCall[]): void {
    const calls = this.#latest.get(runId)?.calls ?? JSON.stringify(requests);
    this.#waits.run(runId, turnDigest, calls);
    this.#keepTurn.run(runId, turnDigest, calls);
  }

  settled(runId: string): void {
    this.#settled.run(runId);
  }

  /** @param turnDigest null: the turn that the run waited with last */
  shown(runId: string, turnDigest: string | null): ShownTurn | undefined {
    const turn = turnDigest === null ? this.#latest.get(runId) : this.#turn.get(runId, turnDigest);
    if (turn === undefined || turn.turn_digest === null) return undefined;
    return { turnDigest: turn.turn_digest, calls: JSON.parse(turn.calls) };
  }

  close(): void {
    this.database.close();
  }

  /** There are as many as there are sets of filters. */
  #list(sql: string): Statement<StoredEntry> {
    const known = this.#lists.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare<StoredEntry>(sql, { bigints: true });
    this.#lists.set(sql, statement);
    return statement;
  }
}
