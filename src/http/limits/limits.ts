import { isIPv4, isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../problems/problem.js';

/** How much one caller may ask of this process. 0 stands for no limit. */
export interface LimitSettings {
  /** Tokens from one address that turn out to be no good, a minute. */
  readonly failedAuthenticationsPerMinute: number;
  /** Submissions and decisions of one principal, a minute. */
  readonly answersPerMinute: number;
  /** Runs that one principal starts, a minute. */
  readonly startsPerMinute: number;
  /** Requests of one principal that wait for a run, and streams that they keep open, at the same time. */
  readonly waitingRequests: number;
}

/** What a principal can do too often. */
export type LimitedCall = 'answers' | 'starts';

const WINDOW_SECONDS = 60;

/** When somebody with too many streams may try again; by then one of them may have ended. */
const STREAM_RETRY_SECONDS = 10;

/**
 * Limits on how often somebody asks, counted in this process alone: several processes admit so much each. They bound what
 * a caller costs others; they decide nothing, and whoever is refused by one changes nothing by it.
 */
export class Limits {
  readonly #failures: RateLimiterMemory | null;
  readonly #calls: Readonly<Record<LimitedCall, RateLimiterMemory | null>>;
  readonly #waiting = new Map<string, number>();
  readonly #mostWaiting: number;

  constructor(settings: LimitSettings) {
    this.#failures = limiter(settings.failedAuthenticationsPerMinute);
    this.#calls = { answers: limiter(settings.answersPerMinute), starts: limiter(settings.startsPerMinute) };
    this.#mostWaiting = settings.waitingRequests === 0 ? Number.POSITIVE_INFINITY : settings.waitingRequests;
  }

  /** To be asked before a token is looked up. @throws {Problem} `rate-limited` */
  async admitAuthentication(address: string): Promise<void> {
    const spent = await this.#failures?.get(networkOf(address));
    if (spent != null && spent.consumedPoints >= (this.#failures?.points ?? 0)) throw rateLimited(spent);
  }

  /** To be told of each token that was no good. */
  async authenticationFailed(address: string): Promise<void> {
    await this.#failures?.penalty(networkOf(address));
  }

  /** Counts a call, also one that is refused later for another reason. @throws {Problem} `rate-limited` */
  async admitCall(call: LimitedCall, principalId: string): Promise<void> {
    try {
      await this.#calls[call]?.consume(principalId);
    } catch (spent) {
      throw spent instanceof RateLimiterRes ? rateLimited(spent) : spent;
    }
  }

  /**
   * A place for a stream among the same: it stays open for as long as its client wants.
   *
   * @returns gives the place back, to be called exactly once
   * @throws {Problem} `rate-limited`
   */
  takeStreamPlace(principalId: string): () => void {
    const leave = this.takeWaitingPlace(principalId);
    if (leave === null) throw new Problem('rate-limited', {}, { 'Retry-After': String(STREAM_RETRY_SECONDS) });
    return leave;
  }

  /**
   * A place among the requests of a principal that wait at once; null where all are taken.
   *
   * @returns gives the place back, to be called exactly once
   */
  takeWaitingPlace(principalId: string): (() => void) | null {
    const waiting = this.#waiting.get(principalId) ?? 0;
    if (waiting >= this.#mostWaiting) return null;
    this.#waiting.set(principalId, waiting + 1);
    return () => {
      const left = (this.#waiting.get(principalId) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(principalId);
      else this.#waiting.set(principalId, left);
    };
  }
}

function limiter(perMinute: number): RateLimiterMemory | null {
  return perMinute === 0 ? null : new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
}

/** Whoever has one address of IPv6 usually has all of its /64; one of IPv4 may come written as one of IPv6. */
export function networkOf(address: string): string {
  const mapped = address.toLowerCase().startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  if (isIPv4(mapped)) return mapped;
  return isIPv6(address) ? expanded(address).slice(0, 4).join(':') : address;
}

function expanded(address: string): string[] {
  const [head = '', tail = ''] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const [before, behind] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]];
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - behind.length) }, () => '0');
  return [...before, ...zeros, ...behind].map((group) => group.replace(/^0+(?=.)/, ''));
}

function rateLimited({ msBeforeNext }: RateLimiterRes): Problem {
  return new Problem('rate-limited', {}, { 'Retry-After': String(Math.max(1, Math.ceil(msBeforeNext / 1_000))) });
}
