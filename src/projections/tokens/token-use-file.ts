import { timestamp } from '../../event-store/clock.js';
import { TokenUse } from '../../governance/token-use.js';
import type { Database, Statement } from '../../sqlite/database.js';
import { type DisposableKind, openDisposable } from '../../subscriptions/disposable-database.js';

const TOKEN_USE: DisposableKind = {
  applicationId: 0x48505455, // "HPTU"
  revision: 1,
  schema: `CREATE TABLE token_use (
      principal_id TEXT NOT NULL,
      token_id TEXT NOT NULL,
      used_at INTEGER NOT NULL,
      PRIMARY KEY (principal_id, token_id)
    ) STRICT, WITHOUT ROWID;`,
};

/** The use of a token is written down this often at most, in milliseconds: requests come much more often. */
const WRITTEN_EVERY_MS = 60_000;

/** Beyond this many tokens the memory of what was written is begun anew; it only saves writing. */
const MOST_REMEMBERED = 10_000;

/**
 * Keeps the last use of tokens beside the log, in a file of its own: reading must not write to the log, and nothing is
 * decided by it. Lost with its file.
 */
export class TokenUseFile extends TokenUse {
  private readonly writtenAt = new Map<string, number>();
  private readonly put: Statement<unknown>;
  private readonly of: Statement<{ readonly token_id: string; readonly used_at: number }>;

  private constructor(
    private readonly database: Database,
    private readonly now: () => number,
  ) {
    super();
    this.put = database.prepare(
      `INSERT INTO token_use (principal_id, token_id, used_at) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET used_at = max(used_at, excluded.used_at)`,
    );
    this.of = database.prepare('SELECT token_id, used_at FROM token_use WHERE principal_id = ?');
  }

  /** @throws {SchemaUnknown} the file is something else. @throws {DatabaseUnavailable} */
  static open(path: string, now: () => number = Date.now): TokenUseFile {
    return new TokenUseFile(openDisposable(path, TOKEN_USE), now);
  }

  override note(principalId: string, tokenId: string): void {
    const nowMs = this.now();
    const key = `${principalId} ${tokenId}`;
    if (nowMs - (this.writtenAt.get(key) ?? Number.NEGATIVE_INFINITY) < WRITTEN_EVERY_MS) return;
    if (this.writtenAt.size >= MOST_REMEMBERED) this.writtenAt.clear();
    this.writtenAt.set(key, nowMs);
    try {
      this.put.run(principalId, tokenId, Math.floor(nowMs));
    } catch {
      // Another process is writing, or the disk is full: no reason to turn somebody away.
    }
  }

  override lastUsed(principalId: string): ReadonlyMap<string, string> {
    return new Map(this.of.all(principalId).map(({ token_id, used_at }) => [token_id, timestamp(used_at)]));
  }

  close(): void {
    this.database.close();
  }
}
