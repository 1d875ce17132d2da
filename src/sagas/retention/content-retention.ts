import type { Clock } from '../../event-store/clock.js';
import type { ErasureScope, ErasureTable } from './erasure-table.js';

export interface RetentionSettings {
  /** How long the working content of a settled run is kept, in milliseconds; 0: not at all. */
  readonly keepWorkingMs: number;
  /** How long its final answer is kept, in milliseconds. */
  readonly keepOutcomeMs: number;
}

type Erase = (runId: string, scope: ErasureScope, reason: 'settled' | 'age') => Promise<void>;

/** Erased side by side: their appends and the destruction of their keys share commits. */
const AT_ONCE = 32;

/** Without a wake-up the table is asked this often, in milliseconds: other processes write to the same file. */
const LONGEST_SLEEP_MS = 3_600_000;

/** What was taken and could not be erased is looked at again after this long, in milliseconds. */
const RETRY_MS = 30_000;

/** Sees to it that content of settled runs is erased when its time has come (SEA-3). */
export class ContentRetention {
  private readonly stopping = new AbortController();
  private wakeUp = new AbortController();
  private running: Promise<void> | null = null;

  constructor(
    private readonly table: ErasureTable,
    private readonly erase: Erase,
    private readonly clock: Clock,
    private readonly settings: RetentionSettings,
    private readonly report: (failure: unknown) => void,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  wake(): void {
    this.wakeUp.abort();
  }

  /** Resolves when the erasures under way are done. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.wakeUp = new AbortController();
      const erased = await this.eraseSome();
      if (erased === 0) await this.clock.wait(this.sleepMs(), this.wakeUp.signal);
    }
  }

  /** @returns how many were taken; 0 also where the table or the log is away, so that the next try waits. */
  private async eraseSome(): Promise<number> {
    const { keepWorkingMs, keepOutcomeMs } = this.settings;
    try {
      const working = this.due('working', keepWorkingMs);
      const outcome = this.due('outcome', keepOutcomeMs);
      await Promise.all([
        ...working.map((runId) => this.erase(runId, 'working', keepWorkingMs === 0 ? 'settled' : 'age')),
        ...outcome.map((runId) => this.erase(runId, 'outcome', 'age')),
      ]);
      return working.length + outcome.length;
    } catch (failure) {
      // What was taken and not erased is due again by itself.
      this.report(failure);
      return 0;
    }
  }

  private sleepMs(): number {
    const { keepWorkingMs, keepOutcomeMs } = this.settings;
    try {
      const ages = [this.msUntilDue('working', keepWorkingMs), this.msUntilDue('outcome', keepOutcomeMs)];
      return Math.min(LONGEST_SLEEP_MS, ...ages);
    } catch {
      return RETRY_MS;
    }
  }

  private msUntilDue(scope: ErasureScope, keepMs: number): number {
    const settledAt = this.table.oldest(scope);
    if (settledAt === null) return LONGEST_SLEEP_MS;
    const left = settledAt + keepMs - this.clock.now();
    // What is due already was not to be had just now: another process is at it, or the log is away.
    return left <= 0 ? RETRY_MS : left;
  }

  private due(scope: ErasureScope, keepMs: number): string[] {
    const nowMs = this.clock.now();
    return this.table.take(scope, nowMs - keepMs, nowMs, AT_ONCE);
  }
}
