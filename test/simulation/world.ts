import { createHash } from 'node:crypto';
import { Clock } from '../../src/event-store/clock.js';
import { Entropy } from '../../src/event-store/entropy.js';

/** Draws from a seed: the same seed, the same draws, on every machine. */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** In [0, 1) (mulberry32). */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** From 0 to `bound - 1`. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

interface Pending {
  readonly atMs: number;
  readonly order: number;
  readonly owner: Mortal;
  readonly resume: () => void;
}

/** Whatever waits in the world may die; what waits for the dead never resumes. */
export interface Mortal {
  alive: boolean;
  /** Stopped until then, as by SIGSTOP: whatever of it was to happen earlier happens at that moment. */
  frozenUntilMs: number;
}

/** Nobody's process: clients and observers outlive every crash. */
export const IMMORTAL: Mortal = { alive: true, frozenUntilMs: 0 };

/**
 * Virtual time and the one queue of everything that waits. One waiting thing is resumed at a time, and all that follows
 * from it without waiting happens before the next: so a seed decides every interleaving.
 */
export class World {
  readonly dice: Dice;
  private nowMs = Date.parse('2030-01-01T00:00:00.000Z');
  private pending: Pending[] = [];
  private orders = 0;
  private setForwardMs = 0;

  constructor(readonly seed: number) {
    this.dice = new Dice(seed);
  }

  /** Whole milliseconds, as every clock shows them. */
  now(): number {
    return Math.floor(this.nowMs + this.setForwardMs);
  }

  /** Time as it passes, whatever the clocks are set to. */
  time(): number {
    return Math.floor(this.nowMs);
  }

  /** Sets all clocks forward, or back by a negative number; what waits does not wait longer or shorter for it. */
  setClocks(byMs: number): void {
    this.setForwardMs += byMs;
  }

  /** Resolves when virtual time has come so far; never, if its owner has died by then. */
  sleep(ms: number, owner: Mortal, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const entry: Pending = {
        atMs: this.nowMs + Math.max(0, ms),
        order: this.orders++,
        owner,
        resume: () => {
          signal?.removeEventListener('abort', early);
          resolve();
        },
      };
      const early = () => {
        this.pending = this.pending.filter((other) => other !== entry);
        resolve();
      };
      signal?.addEventListener('abort', early, { once: true });
      this.pending.push(entry);
    });
  }

  /** Resumes one waiting thing after another until `done` says so or `untilMs` of virtual time have passed. */
  async run(untilMs: number, done: () => boolean): Promise<void> {
    const end = this.nowMs + untilMs;
    while (!done()) {
      await settled();
      const next = this.takeNext();
      if (next === null || dueAt(next) > end) return;
      this.nowMs = Math.max(this.nowMs, dueAt(next));
      next.resume();
    }
  }

  private takeNext(): Pending | null {
    let best: Pending | null = null;
    this.pending = this.pending.filter((entry) => entry.owner.alive);
    for (const entry of this.pending) {
      const sooner = best === null || dueAt(entry) - dueAt(best) || entry.order - best.order;
      if (sooner === true || (typeof sooner === 'number' && sooner < 0)) best = entry;
    }
    if (best !== null) this.pending = this.pending.filter((entry) => entry !== best);
    return best;
  }
}

/** When a waiting thing can go on. */
function dueAt({ atMs, owner }: Pending): number {
  return Math.max(atMs, owner.frozenUntilMs);
}

/** Everything that can go on without waiting has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A process's own clock; all of them show the same time. */
export class VirtualClock extends Clock {
  constructor(
    private readonly world: World,
    private readonly owner: Mortal,
  ) {
    super();
  }

  override now(): number {
    return this.world.now();
  }

  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    return this.world.sleep(ms, this.owner, signal);
  }
}

/** Ids and jitter out of the seed. */
export class SeededEntropy extends Entropy {
  private made = 0;

  constructor(private readonly dice: Dice) {
    super();
  }

  override uuid(): string {
    const hex = this.bytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  override token(bytes: number): string {
    return this.bytes(bytes).toString('base64url');
  }

  override fraction(): number {
    return this.dice.fraction();
  }

  private bytes(count: number): Buffer {
    this.made += 1;
    return createHash('sha256').update(`${this.dice.fraction()}/${this.made}`).digest().subarray(0, count);
  }
}
