import type { ClaimResult } from '../commands/claim-run.command.js';
import type { Clock } from '../event-store/clock.js';
import { StoreUnavailable } from '../event-store/errors.js';
import type { SegmentSignals } from '../tool-loop/segment.js';
import type { SegmentEnd } from '../tool-loop/tool-loop.service.js';
import type { DueTable } from './due-table.js';
import { NewsLag } from './news-lag.js';

export interface ResumeSettings {
  /** Segments that this worker executes at once. */
  readonly maxSegments: number;
  /** How long a stop waits for the steps under way before it gives them up, in milliseconds. */
  readonly drainMs: number;
}

/** What happened to a run that was due, for metrics and logs. */
export interface ResumeLog {
  claimed(runId: string, reply: ClaimResult['reply']): void;
  ended(runId: string, end: SegmentEnd): void;
  /** The due table could not be asked; it is asked again. */
  tableFailed(failure: unknown): void;
  /** The run could not be worked on; it is due again later. */
  setAside(runId: string, failure: unknown): void;
}

/** A run that nobody can read is looked at again after this long: an operator may have put it right. */
const SET_ASIDE_MS = 60_000;

/** Without any wake-up the table is asked this often; other processes write to the same log. */
const LONGEST_SLEEP_MS = 1_000;

/** A run that this worker has in hand, from before its claim to the end of its segment. */
interface InFlight {
  readonly lost: AbortController;
  done: Promise<void>;
  /** Revision of this worker's own claim; undefined until it is known. */
  ownClaim?: number;
  readonly takenAtMs: number;
  /** Highest revision of a claim of the run that the log has told of, by whomever. */
  latestClaim: number;
}

/**
 * The one way by which runs go on: whenever a run is due and a slot is free, claim it and execute its segment. What is
 * due is in the table, whether the run may go on is decided by the claim; nothing else here is remembered.
 */
export class ResumeRuns {
  private readonly inFlight = new Map<string, InFlight>();
  private readonly stopping = new AbortController();
  private readonly abandoning = new AbortController();
  private wakeUp = new AbortController();
  private pumping: Promise<void> | null = null;
  private readonly newsLag = new NewsLag();

  constructor(
    private readonly due: DueTable,
    private readonly claim: (runId: string) => Promise<ClaimResult>,
    private readonly runSegment: (
      run: Extract<ClaimResult, { reply: 'claimed' }>['run'],
      signals: SegmentSignals,
    ) => Promise<SegmentEnd>,
    private readonly clock: Clock,
    private readonly settings: ResumeSettings,
    private readonly log: ResumeLog,
  ) {}

  start(): void {
    this.pumping ??= this.pump();
  }

  /** Something may be due that was not when the table was last asked. */
  wake(): void {
    this.wakeUp.abort();
  }

  /** The run was settled: whatever this worker does for it is no longer wanted (LIF-6). */
  lose(runId: string): void {
    this.inFlight.get(runId)?.lost.abort();
  }

  /**
   * A claim of the run is in the log. One that is behind this worker's own is somebody else's, who took the run over
   * (CLM-2). One before it is over, however late the news of it comes; the own one is news, too.
   *
   * @param revision of the claim in the run's stream.
   */
  noteClaim(runId: string, revision: number): void {
    this.newsLag.heard(runId, revision, this.clock.now());
    const run = this.inFlight.get(runId);
    if (run === undefined) return;
    run.latestClaim = Math.max(run.latestClaim, revision);
    loseIfTakenOver(run);
  }

  /** See {@link NewsLag}; in milliseconds. */
  get newsLagMs(): number {
    return this.newsLag.currentMs(this.clock.now());
  }

  get segments(): number {
    return this.inFlight.size;
  }

  /** No further step begins; steps under way have `drainMs` to end, then they are given up. Resolves when none is left. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.pumping;
    const drained = new AbortController();
    void this.clock.wait(this.settings.drainMs, drained.signal).then(() => this.abandoning.abort());
    await Promise.all([...this.inFlight.values()].map(({ done }) => done));
    drained.abort();
  }

  private async pump(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.wakeUp = new AbortController();
      const sleepMs = this.beginWhatIsDue();
      await this.clock.wait(sleepMs, this.wakeUp.signal);
    }
  }

  /** @returns how long there is nothing to do, in milliseconds, unless somebody wakes the pump. */
  private beginWhatIsDue(): number {
    try {
      const nowMs = this.clock.now();
      const free = this.settings.maxSegments - this.inFlight.size;
      for (const runId of this.due.take(nowMs, free, new Set(this.inFlight.keys()))) this.begin(runId);
      return this.sleepMs(nowMs);
    } catch (failure) {
      // The table's file is away. Nothing else moves runs, so this must go on whatever happens.
      this.log.tableFailed(failure);
      return LONGEST_SLEEP_MS;
    }
  }

  /** Until the next run is due; with every slot taken, until one is free. */
  private sleepMs(nowMs: number): number {
    const { inFlight } = this;
    const next = inFlight.size < this.settings.maxSegments ? this.due.nextDueAt(new Set(inFlight.keys())) : null;
    if (next === null) return LONGEST_SLEEP_MS;
    return Math.min(Math.max(next - nowMs, 1), LONGEST_SLEEP_MS);
  }

  private begin(runId: string): void {
    const lost = new AbortController();
    const run: InFlight = {
      lost,
      done: Promise.resolve(),
      takenAtMs: this.clock.now(),
      latestClaim: -1,
    };
    this.inFlight.set(runId, run);
    run.done = this.workOn(runId, run).finally(() => {
      this.inFlight.delete(runId);
      this.wake();
    });
  }

  private async workOn(runId: string, run: InFlight): Promise<void> {
    try {
      const claimed = await this.claim(runId);
      this.log.claimed(runId, claimed.reply);
      if (claimed.reply !== 'claimed') return;
      run.ownClaim = claimed.run.revision as number;
      this.awaitNews(runId, run, run.ownClaim);
      loseIfTakenOver(run);
      const signals = { stopping: this.stopping.signal, abandoning: this.abandoning.signal, lost: run.lost.signal };
      this.log.ended(runId, await this.runSegment(claimed.run, signals));
    } catch (failure) {
      this.log.setAside(runId, failure);
      // With the store away the run is due again in seconds, as the table has it since it was taken. Otherwise its
      // history cannot be read: a matter of this run alone, and never dropped.
      if (!(failure instanceof StoreUnavailable)) {
        const nowMs = this.clock.now();
        this.due.defer(runId, nowMs + SET_ASIDE_MS, nowMs);
      }
    }
  }

  private awaitNews(runId: string, { takenAtMs, latestClaim }: InFlight, revision: number): void {
    if (latestClaim < revision) this.newsLag.awaits(runId, { takenAtMs, revision });
    else this.newsLag.measured(this.clock.now() - takenAtMs);
  }
}

/** The news may come before the answer to the claim or after it; whichever is last finds out. */
function loseIfTakenOver({ ownClaim, latestClaim, lost }: InFlight): void {
  if (ownClaim !== undefined && latestClaim > ownClaim) lost.abort();
}
