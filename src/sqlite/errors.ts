/** Why a database cannot do what was asked of it at the moment. None of these is the caller's mistake. */
export type Unavailability =
  | 'busy'
  | 'full'
  | 'io'
  | 'memory'
  | 'read_only'
  | 'corrupt'
  | 'cannot_open'
  | 'closed'
  | 'overloaded'
  | 'commit_failed';

const SENTENCES: Record<Unavailability, string> = {
  busy: 'another process has held the write lock for too long',
  full: 'the disk is full',
  io: 'reading or writing the file failed',
  memory: 'SQLite ran out of memory',
  read_only: 'the file cannot be written',
  corrupt: 'the file is damaged, or is no such database',
  cannot_open: 'the file cannot be opened',
  closed: 'it has been closed',
  overloaded: 'too many writes are waiting',
  commit_failed: 'the commit failed',
};

/** The database is away, full, locked or damaged. Statements that are wrong in themselves throw the driver's error. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  constructor(
    readonly reason: Unavailability,
    /** True when a write may be in the file although its commit was not seen to succeed. */
    readonly outcomeUnknown: boolean,
    /** `file`: the name of the file, where it is known. */
    options: ErrorOptions & { readonly file?: string } = {},
  ) {
    super(`${options.file ?? 'the database'} is unavailable: ${SENTENCES[reason]}`, options);
  }
}

/** The file was written by a newer version of Holdpoint, or belongs to something else. */
export class SchemaUnknown extends Error {
  override readonly name = 'SchemaUnknown';
}

/** By the primary result code, which is the low byte of the extended one (https://sqlite.org/rescode.html). */
const BY_RESULT_CODE = new Map<number, Unavailability>([
  [3, 'cannot_open'], // SQLITE_PERM
  [5, 'busy'], // SQLITE_BUSY
  [7, 'memory'], // SQLITE_NOMEM
  [8, 'read_only'], // SQLITE_READONLY
  [10, 'io'], // SQLITE_IOERR
  [11, 'corrupt'], // SQLITE_CORRUPT
  [13, 'full'], // SQLITE_FULL
  [14, 'cannot_open'], // SQLITE_CANTOPEN
  [15, 'io'], // SQLITE_PROTOCOL: the lock of the write-ahead log could not be had
  [26, 'corrupt'], // SQLITE_NOTADB
]);

/** Reading several rows, the driver gives SQLite's fixed words for the same code, and no code. */
const BY_WORDS = new Map<string, Unavailability>([
  ['access permission denied', 'cannot_open'],
  ['database is locked', 'busy'],
  ['out of memory', 'memory'],
  ['attempt to write a readonly database', 'read_only'],
  ['disk I/O error', 'io'],
  ['database disk image is malformed', 'corrupt'],
  ['database or disk is full', 'full'],
  ['unable to open database file', 'cannot_open'],
  ['locking protocol', 'io'],
  ['file is not a database', 'corrupt'],
]);

function unavailability(error: unknown): Unavailability | undefined {
  const { code, errcode, message } = error as { code?: unknown; errcode?: unknown; message?: unknown };
  if (code === 'ERR_INVALID_STATE') return 'closed';
  if (typeof errcode === 'number') return BY_RESULT_CODE.get(errcode & 0xff);
  return code === 'ERR_SQLITE_ERROR' ? BY_WORDS.get(String(message)) : undefined;
}

/**
 * The driver's error as {@link DatabaseUnavailable} where it says that the database is unavailable, else unchanged.
 * Outside of a commit nothing can have been written, hence the outcome is known.
 */
export function translated(error: unknown): unknown {
  const reason = unavailability(error);
  return reason === undefined ? error : new DatabaseUnavailable(reason, false, { cause: error });
}
