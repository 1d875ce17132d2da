import type { Clock } from '../../src/event-store/clock.js';
import { timestamp } from '../../src/event-store/clock.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { RevisionConflict } from '../../src/event-store/errors.js';
import type { DecisionContext, Loaded } from '../../src/event-store/loaded.js';
import { Streams } from '../../src/event-store/streams.js';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.js';
import { type NewRunEvent, type RunEventType, runStream } from '../../src/events/run-events.js';
import { decideClaimRun } from '../../src/run/decisions/claim-run.js';
import { runFold } from '../../src/run/evolve.js';
import type { RunState } from '../../src/run/run-state.js';
import { DueTable } from '../../src/sagas/due-table.js';
import { KnownWorkers } from '../../src/sagas/known-workers.js';
import { ResumeRuns } from '../../src/sagas/resume-runs.js';
import { FeedRunner } from '../../src/subscriptions/feed-runner.js';
import { MemoryEventStore } from '../support/memory-event-store.js';
import { MemoryKeyStore, MemoryKeys } from '../support/memory-key-store.js';
import { MemoryLog } from '../support/memory-log.js';
import { completed, runStarted } from '../support/run-history.js';
import { IMMORTAL, type Mortal, SeededEntropy, VirtualClock, World } from './world.js';

/*
 * Workers that share a log and nothing else, each with a due table of its own and a feed that lags: the real table, pump,
 * feed runner and claim, in virtual time. Segments only take their time.
 */

const LEASE_MS = 15_000;
const codec = new EventCodec(EVENT_CATALOGUE);

export interface Conditions {
  readonly workers: number;
  readonly runs: number;
  /** Mean time between two starts, in milliseconds. */
  readonly everyMs: number;
  /** How long a segment takes at most, and how many a worker executes at once. */
  readonly segmentMs: number;
  readonly maxSegments: number;
  /** How long news of the log take to a worker at most. */
  readonly lagMs: number;
  /** How far the clocks of machines are apart at most. */
  readonly skewMs?: number;
}

export interface Outcome {
  /** Segments that ran. */
  readonly claimed: number;
  /** Attempts that ended in anything else. */
  readonly inVain: number;
  /** From start to claim, in milliseconds, in the order of the claims. */
  readonly waits: readonly number[];
  /** Segments by worker. */
  readonly shares: ReadonlyMap<string, number>;
}

/** A machine's clock, which is off by so much. */
class SkewedClock extends VirtualClock {
  constructor(
    world: World,
    owner: Mortal,
    private readonly offMs: number,
  ) {
    super(world, owner);
  }

  override now(): number {
    return super.now() + this.offMs;
  }
}

class SimulatedWorker implements Mortal {
  alive = true;
  frozenUntilMs = 0;
  readonly #store: MemoryEventStore;
  readonly #streams: Streams;
  readonly #resume: ResumeRuns;
  readonly #feed: FeedRunner;

  constructor(
    private readonly world: World,
    log: MemoryLog,
    keys: MemoryKeys,
    readonly id: string,
    private readonly conditions: Conditions,
    observe: (worker: string, runId: string, reply: string) => void,
  ) {
    const { lagMs, skewMs = 0, maxSegments } = conditions;
    const lag = () => world.sleep(world.dice.fraction() * lagMs, this);
    const clock: Clock = new SkewedClock(world, this, Math.round((world.dice.fraction() - 0.5) * skewMs));
    const entropy = new SeededEntropy(world.dice);
    this.#store = new MemoryEventStore(log, {
      pause: (point) => (point === 'feed' ? lag() : world.sleep(1 + world.dice.below(5), this)),
      appendFate: () => 'commit',
      readFate: () => 'answer',
      feedFate: () => 'deliver',
    });
    this.#streams = new Streams(
      this.#store,
      codec,
      new MemoryKeyStore(keys, { now: () => clock.now() }),
      clock,
      entropy,
    );
    const due = DueTable.open(
      ':memory:',
      { onDue: () => this.#resume.wake(), onClaimed: (runId, revision) => this.#resume.noteClaim(runId, revision) },
      new KnownWorkers(
        id,
        () => clock.now(),
        () => this.#resume.newsLagMs,
      ),
    );
    this.#resume = new ResumeRuns(
      due,
      (runId) => this.#claim(runId, clock),
      (run, { lost, stopping }) => this.#segment(run, clock, AbortSignal.any([lost, stopping])),
      clock,
      { maxSegments, drainMs: 1_000 },
      {
        claimed: (runId, reply) => observe(id, runId, reply),
        ended: () => {},
        tableFailed: (failure) => Promise.reject(failure),
        setAside: (_runId, failure) => Promise.reject(failure),
      },
    );
    this.#feed = new FeedRunner(due, { store: this.#store, codec, clock, entropy });
  }

  start(): void {
    this.#feed.start();
    this.#resume.start();
  }

  kill(): void {
    this.alive = false;
    this.#store.crash();
  }

  async stop(): Promise<void> {
    await this.#resume.stop();
    await this.#feed.stop();
    this.kill();
  }

  async #claim(runId: string, clock: Clock) {
    const executed = await this.#streams.execute(
      runStream(runId),
      runFold,
      this.#context(),
      async () => ({
        nowMs: clock.now(),
        claimId: this.#streams.entropy.uuid(),
        workerId: this.id,
        leaseExpiresAt: timestamp(clock.now() + LEASE_MS),
        configurationExists: true,
        pause: 'sound' as const,
        objection: null,
      }),
      decideClaimRun,
    );
    if (executed.outcome === 'rejected') throw new Error('a claim is never rejected');
    const { reply, state, revision, events } = executed;
    return reply === 'claimed'
      ? { reply, run: { stream: runStream(runId), state, revision, events } }
      : { reply: reply as 'not_claimable' };
  }

  async #segment(run: Loaded<RunState, RunEventType>, clock: Clock, given: AbortSignal): Promise<'completed' | 'lost'> {
    await clock.wait(this.world.dice.fraction() * this.conditions.segmentMs, given);
    const { attempts } = run.state as Extract<RunState, { status: 'running' }>;
    const handedBack: NewRunEvent = {
      type: 'RunRequeued',
      data: { reason: 'worker_stopped', attempt: attempts, notBefore: timestamp(clock.now()) },
    };
    try {
      const revision = run.revision as number;
      await this.#streams.append<RunEventType>(
        run.stream,
        revision,
        [given.aborted ? handedBack : completed],
        this.#context(),
      );
      return 'completed';
    } catch (error) {
      if (error instanceof RevisionConflict) return 'lost';
      throw error;
    }
  }

  #context(): DecisionContext {
    return { actor: { kind: 'worker', id: this.id }, correlationId: 'c' };
  }
}

/** Workers under conditions that a seed decides. */
export class TurnTaking {
  readonly world: World;
  readonly #log = new MemoryLog();
  readonly #keys = new MemoryKeys();
  readonly #workers: SimulatedWorker[] = [];
  readonly #startedAt = new Map<string, number>();
  readonly #waits: number[] = [];
  readonly #shares = new Map<string, number>();
  #inVain = 0;
  #named = 0;
  #looked = 0;
  #completed = 0;

  constructor(
    seed: number,
    private readonly conditions: Conditions,
  ) {
    this.world = new World(seed);
    for (let index = 0; index < conditions.workers; index += 1) this.addWorker();
  }

  /** One that nobody has seen yet. */
  addWorker(): void {
    this.#named += 1;
    const name = `node-${this.#named}-${this.world.dice.below(1e9).toString(36)}`;
    const worker = new SimulatedWorker(this.world, this.#log, this.#keys, name, this.conditions, (id, runId, reply) =>
      this.#observe(id, runId, reply),
    );
    this.#workers.push(worker);
    worker.start();
  }

  killWorker(): void {
    this.#workers.shift()?.kill();
  }

  stopWorker(): void {
    void this.#workers.shift()?.stop();
  }

  /** Starts the runs and goes on until each has been claimed and has ended; `between` is told after each start. */
  async play(between: (started: number) => unknown = () => {}): Promise<Outcome> {
    const { runs, everyMs } = this.conditions;
    const { world } = this;
    const before = this.#observedSoFar();
    const starting = (async () => {
      const clock = new VirtualClock(world, IMMORTAL);
      const entropy = new SeededEntropy(world.dice);
      const streams = new Streams(
        new MemoryEventStore(this.#log),
        codec,
        new MemoryKeyStore(this.#keys, { now: () => world.now() }),
        clock,
        entropy,
      );
      for (let started = 1; started <= runs; started += 1) {
        const runId = entropy.uuid();
        this.#startedAt.set(runId, world.now());
        await streams.append<RunEventType>(runStream(runId), 'no_stream', [runStarted()], {
          actor: { kind: 'principal', id: 'olga' },
          correlationId: 'c',
        });
        between(started);
        if (started < runs) await clock.wait(-Math.log(1 - world.dice.fraction()) * everyMs);
      }
    })();
    await world.run(86_400_000, () => this.#ended() === this.#startedAt.size && this.#startedAt.size % runs === 0);
    await starting;
    return {
      claimed: this.#waits.length - before.claimed,
      inVain: this.#inVain - before.inVain,
      waits: this.#waits.slice(before.claimed),
      shares: this.#shares,
    };
  }

  /** No process of it is left. */
  end(): void {
    for (const worker of this.#workers) worker.kill();
  }

  #observedSoFar() {
    return { claimed: this.#waits.length, inVain: this.#inVain };
  }

  #ended(): number {
    const { events } = this.#log;
    for (; this.#looked < events.length; this.#looked += 1) {
      if (events[this.#looked]?.type === 'RunCompleted') this.#completed += 1;
    }
    return this.#completed;
  }

  #observe(workerId: string, runId: string, reply: string): void {
    if (reply !== 'claimed') {
      this.#inVain += 1;
      return;
    }
    this.#waits.push(this.world.now() - (this.#startedAt.get(runId) as number));
    this.#shares.set(workerId, (this.#shares.get(workerId) ?? 0) + 1);
  }
}
