import { StoreUnavailable } from '../../event-store/errors.js';
import { BEGINNING } from '../../event-store/event-store.js';
import type { RunStatus } from '../../run/run-state.js';
import type { Database, SqlValue, Statement } from '../../sqlite/database.js';
import { DatabaseUnavailable } from '../../sqlite/errors.js';
import { openDisposable } from '../../subscriptions/disposable-database.js';
import { inboxQuery, QUEUE_QUERIES, RUN_COLUMNS, runListQuery, type SqlQuery } from './run-list-query.js';
import { isWaitingRow, type RunRow } from './run-row.js';
import type { RunFilter } from './run-selection.js';
import { READ_MODELS } from './runs-file.js';

interface StoredRow {
  readonly started: bigint;
  readonly run_id: string;
  readonly status: RunStatus;
  readonly revision: bigint;
  readonly owner_id: string;
  readonly configuration_id: string;
  readonly iterations: bigint;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly created_at: string;
  readonly updated_at: string;
  readonly due_at: string | null;
  readonly pause: string | null;
  readonly settlement: string | null;
  readonly working_erased: bigint;
  readonly outcome_erased: bigint;
}

const LAST_POSITION = 2n ** 63n - 1n;

/** The rows of all runs. Reading throws {@link StoreUnavailable} when the file is away. */
export class RunsTable {
  readonly #find: Statement<StoredRow>;
  readonly #put: Statement<unknown>;
  readonly #delete: Statement<unknown>;
  readonly #ownAhead: Statement<{ readonly count: number }>;
  readonly #queuedOf: Statement<{ readonly count: number }>;
  readonly #nextOwner: Statement<{ readonly owner_id: string }>;
  readonly #lists = new Map<string, Statement<StoredRow>>();

  constructor(readonly database: Database) {
    this.#find = database.prepare(`SELECT ${RUN_COLUMNS} FROM runs WHERE run_id = ?`, { bigints: true });
    this.#put = database.prepare(
      `INSERT INTO runs (${RUN_COLUMNS}, waiting_since)
       VALUES (:started, :run_id, :status, :revision, :owner_id, :configuration_id, :iterations, :input_tokens,
         :output_tokens, :created_at, :updated_at, :due_at, :pause, :settlement, :working_erased, :outcome_erased, :waiting_since)
       ON CONFLICT (started) DO UPDATE SET status = excluded.status, revision = excluded.revision,
         iterations = excluded.iterations, input_tokens = excluded.input_tokens,
         output_tokens = excluded.output_tokens, updated_at = excluded.updated_at, due_at = excluded.due_at, pause = excluded.pause,
         settlement = excluded.settlement, working_erased = excluded.working_erased,
         outcome_erased = excluded.outcome_erased, waiting_since = excluded.waiting_since`,
    );
    this.#delete = database.prepare('DELETE FROM runs WHERE run_id = ?');
    this.#ownAhead = database.prepare(QUEUE_QUERIES.ownAhead);
    this.#queuedOf = database.prepare(QUEUE_QUERIES.queuedOf);
    this.#nextOwner = database.prepare(QUEUE_QUERIES.nextOwner);
  }

  /** @throws {SchemaUnknown} the file is something else. @throws {DatabaseUnavailable} */
  static open(path: string): RunsTable {
    return new RunsTable(openDisposable(path, READ_MODELS));
  }

  find(runId: string): RunRow | null {
    const row = this.#reading(() => this.#find.get(runId));
    return row === undefined ? null : rowOf(row);
  }

  /** Newest first. @param before position of a run's start, exclusive. */
  list(selection: readonly RunFilter[], before: bigint | undefined, limit: number): RunRow[] {
    if (selection.length === 0) return [];
    return this.#all(runListQuery(selection, before ?? LAST_POSITION, limit));
  }

  /** Longest waiting first. @param behind position of a pause event, exclusive. @param ownerId null: everybody's. */
  inbox(ownerId: string | null, behind: bigint | undefined, limit: number): RunRow[] {
    return this.#all(inboxQuery(ownerId, behind ?? BEGINNING, limit));
  }

  /**
   * How many queued runs may be taken before this one. Owners take turns: of each other owner there are no more of them
   * than this owner's own, and one. At most `most` are counted, so that a long queue costs no more than that.
   */
  countAhead({ ownerId, dueAt }: RunRow, most: number): number {
    return this.#reading(() => {
      const own = this.#ownAhead.get(ownerId, dueAt, most)?.count ?? 0;
      let ahead = own;
      let owner = this.#nextOwner.get('')?.owner_id;
      while (owner !== undefined && ahead < most) {
        if (owner !== ownerId) ahead += this.#queuedOf.get(owner, own + 1)?.count ?? 0;
        owner = this.#nextOwner.get(owner)?.owner_id;
      }
      return Math.min(ahead, most);
    });
  }

  put(row: RunRow): void {
    this.#put.run({
      started: row.started,
      run_id: row.runId,
      status: row.status,
      revision: row.revision,
      owner_id: row.ownerId,
      configuration_id: row.configurationId,
      iterations: row.iterations,
      input_tokens: row.usage.inputTokens,
      output_tokens: row.usage.outputTokens,
      created_at: row.createdAt,
      updated_at: row.updatedAt,
      due_at: row.dueAt,
      pause: jsonOrNull(row.pause && { ...row.pause, position: row.pause.position.toString() }),
      settlement: jsonOrNull(row.settlement),
      working_erased: Number(row.erased.working),
      outcome_erased: Number(row.erased.outcome),
      waiting_since: isWaitingRow(row) ? (row.pause?.position ?? null) : null,
    });
  }

  delete(runId: string): void {
    this.#delete.run(runId);
  }

  close(): void {
    this.database.close();
  }

  #all({ sql, parameters }: SqlQuery): RunRow[] {
    return this.#reading(() => this.#list(sql).all(...(parameters as SqlValue[]))).map(rowOf);
  }

  /** There are as many as there are kinds of reader and sets of filters. */
  #list(sql: string): Statement<StoredRow> {
    const known = this.#lists.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare<StoredRow>(sql, { bigints: true });
    this.#lists.set(sql, statement);
    return statement;
  }

  #reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      throw new StoreUnavailable(`the read models cannot be read: ${error.message}`, false, { cause: error });
    }
  }
}

function jsonOrNull(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function rowOf(row: StoredRow): RunRow {
  const pause = row.pause === null ? null : JSON.parse(row.pause);
  return {
    started: row.started,
    runId: row.run_id,
    status: row.status,
    revision: Number(row.revision),
    ownerId: row.owner_id,
    configurationId: row.configuration_id,
    iterations: Number(row.iterations),
    usage: { inputTokens: Number(row.input_tokens), outputTokens: Number(row.output_tokens) },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    dueAt: row.due_at,
    pause: pause && { ...pause, position: BigInt(pause.position) },
    settlement: row.settlement === null ? null : JSON.parse(row.settlement),
    erased: { working: row.working_erased === 1n, outcome: row.outcome_erased === 1n },
  };
}
