import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';
import { IssuerUnavailable } from './issuer-unavailable.js';

/** A key that the issuer has withdrawn is not taken for longer than this, as long as the issuer can be asked. */
export const REFRESH_AFTER_MS = 10 * 60_000;

/** How long keys are taken while the issuer cannot be asked. */
export const KEEP_FOR_MS = 24 * 60 * 60_000;

/** Between two questions to the issuer, whatever tokens come meanwhile: while it answers, and while it does not. */
export const COOLDOWN_MS = 30_000;
export const RETRY_AFTER_MS = 5_000;

interface KnownKeys {
  readonly find: LocalJWKSet;
  readonly readAtMs: number;
}

/**
 * The keys by which the issuer signs. They are read when first needed, again when they are old, and again when a token
 * names one that is not among them (the issuer has begun to use a new one); however many tokens ask for that, the issuer
 * is asked by one request at a time, and not more often than the times above say.
 */
export class IssuerKeys {
  private known: KnownKeys | undefined;
  private asking: Promise<void> | undefined;
  private lastAsked: { readonly atMs: number; readonly answered: boolean } | undefined;

  /**
   * @param readKeys @throws {IssuerUnavailable}
   * @param now epoch milliseconds
   * @param onFailure told of each question that was not answered
   */
  constructor(
    private readonly readKeys: () => Promise<JSONWebKeySet>,
    private readonly now: () => number,
    private readonly onFailure: (failure: unknown) => void,
  ) {}

  /**
   * The key that a token was signed with.
   *
   * @throws {errors.JWKSNoMatchingKey} the issuer has none such @throws {IssuerUnavailable} nobody can tell now
   */
  readonly keyFor: JWTVerifyGetKey = async (header, token) => {
    await this.refresh();
    try {
      return await this.usable()(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    await this.ask();
    // Whether the issuer has this key by now, nobody knows who could not ask.
    if (this.lastAsked?.answered !== true) throw new IssuerUnavailable('the key is unknown and the issuer is away');
    return await this.usable()(header, token);
  };

  private async refresh(): Promise<void> {
    const ageMs = this.ageMs();
    if (ageMs < REFRESH_AFTER_MS) return;
    const asked = this.ask();
    // While the issuer is away, nobody waits for it who has keys.
    if (ageMs >= KEEP_FOR_MS || this.lastAsked?.answered !== false) await asked;
  }

  private ageMs(): number {
    if (this.known === undefined) return Number.POSITIVE_INFINITY;
    const ageMs = this.now() - this.known.readAtMs;
    // By a clock that was set back nobody knows how old they are: old enough to be read again.
    return ageMs < 0 ? REFRESH_AFTER_MS : ageMs;
  }

  private usable(): LocalJWKSet {
    if (this.known === undefined || this.ageMs() >= KEEP_FOR_MS) throw new IssuerUnavailable('there are no keys');
    return this.known.find;
  }

  /** Asks, unless that was done just now; whoever comes while the issuer is asked waits for the same answer. */
  private ask(): Promise<void> {
    if (this.asking !== undefined) return this.asking;
    const { atMs = Number.NEGATIVE_INFINITY, answered = false } = this.lastAsked ?? {};
    const sinceMs = this.now() - atMs;
    if (sinceMs >= 0 && sinceMs < (answered ? COOLDOWN_MS : RETRY_AFTER_MS)) return Promise.resolve();
    this.asking = this.read().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async read(): Promise<void> {
    try {
      this.known = { find: createLocalJWKSet(await this.readKeys()), readAtMs: this.now() };
      this.lastAsked = { atMs: this.now(), answered: true };
    } catch (error) {
      this.lastAsked = { atMs: this.now(), answered: false };
      this.onFailure(error);
    }
  }
}
