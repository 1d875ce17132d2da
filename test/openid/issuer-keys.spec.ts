import { errors, type JSONWebKeySet, type JWK } from 'jose';
import {
  COOLDOWN_MS,
  IssuerKeys,
  KEEP_FOR_MS,
  REFRESH_AFTER_MS,
  RETRY_AFTER_MS,
} from '../../src/openid/issuer-keys.js';
import { IssuerUnavailable } from '../../src/openid/issuer-unavailable.js';
import { aKey } from '../support/openid-provider.js';

/** An issuer whose answers come when the test says so, on a clock that the test moves. */
class Issuer {
  nowMs = Date.parse('2030-01-01T00:00:00.000Z');
  questions = 0;
  failures = 0;
  answer: () => Promise<JSONWebKeySet> = () => Promise.resolve({ keys: this.published });
  readonly keys = new IssuerKeys(
    () => {
      this.questions += 1;
      return this.answer();
    },
    () => this.nowMs,
    () => {
      this.failures += 1;
    },
  );

  constructor(private readonly published: JWK[]) {}

  publish(...keys: JWK[]): void {
    this.published.splice(0, this.published.length, ...keys);
  }

  goAway(): void {
    this.answer = () => Promise.reject(new IssuerUnavailable('away'));
  }

  comeBack(): void {
    this.answer = () => Promise.resolve({ keys: this.published });
  }

  async knows({ kid, alg }: JWK): Promise<boolean> {
    const header = { kid: kid as string, alg: alg as string };
    try {
      await this.keys.keyFor(header, { payload: '', signature: '' });
      return true;
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return false;
      throw error;
    }
  }
}

let first: JWK;
let second: JWK;
beforeAll(async () => {
  [first, second] = await Promise.all([publicKey(), publicKey()]);
});

async function publicKey(): Promise<JWK> {
  const { kty, crv, x, y, kid, alg, use } = await aKey('ES256');
  return { kty, crv, x, y, kid, alg, use } as JWK;
}

describe('the keys of an issuer', () => {
  it('are asked for when a token first needs one, and then remembered', async () => {
    const issuer = new Issuer([first]);
    expect(issuer.questions).toBe(0);
    expect(await Promise.all([1, 2, 3].map(() => issuer.knows(first)))).toEqual([true, true, true]);
    expect(await issuer.knows(first)).toBe(true);
    expect(issuer.questions).toBe(1);
  });

  it('are asked for again when a token names another one', async () => {
    const issuer = new Issuer([first]);
    await issuer.knows(first);
    issuer.publish(second);
    issuer.nowMs += COOLDOWN_MS;
    expect(await issuer.knows(second)).toBe(true);
    expect(await issuer.knows(first)).toBe(false);
    expect(issuer.questions).toBe(2);
  });

  it('are asked for again by a clock that was set back by hours, and no more often than by another', async () => {
    const issuer = new Issuer([first]);
    await issuer.knows(first);
    issuer.publish(second);
    issuer.nowMs -= 5 * 3_600_000;
    expect(await issuer.knows(second)).toBe(true);
    expect(await issuer.knows(first)).toBe(false);
    expect(issuer.questions).toBe(2);
  });

  it('are asked for no more often, however many tokens name keys that never were', async () => {
    const issuer = new Issuer([first]);
    for (let count = 0; count < 100; count += 1) {
      expect(await issuer.knows({ ...second, kid: `made-up-${count}` })).toBe(false);
      issuer.nowMs += COOLDOWN_MS / 10;
    }
    expect(issuer.questions).toBe(10);
  });

  it('are asked for again when they are old, so that one that was withdrawn is not taken for long', async () => {
    const issuer = new Issuer([first, second]);
    expect(await issuer.knows(second)).toBe(true);
    issuer.publish(first);
    issuer.nowMs += REFRESH_AFTER_MS - 1;
    expect(await issuer.knows(second)).toBe(true);
    issuer.nowMs += 1;
    expect(await issuer.knows(second)).toBe(false);
  });

  it('go on to be taken while the issuer is away, for a day', async () => {
    const issuer = new Issuer([first]);
    await issuer.knows(first);
    issuer.goAway();
    issuer.nowMs += KEEP_FOR_MS - 1;
    expect(await issuer.knows(first)).toBe(true);
    issuer.nowMs += 1;
    await expect(issuer.knows(first)).rejects.toThrow(IssuerUnavailable);
  });

  it('keep nobody waiting who has one while the issuer does not answer', async () => {
    const issuer = new Issuer([first]);
    await issuer.knows(first);
    issuer.goAway();
    issuer.nowMs += REFRESH_AFTER_MS;
    expect(await issuer.knows(first)).toBe(true);
    issuer.answer = () => new Promise(() => {});
    issuer.nowMs += RETRY_AFTER_MS;
    expect(await issuer.knows(first)).toBe(true);
    expect(issuer.questions).toBe(3);
  });

  it('say that nobody can tell, where the issuer is away and the key unknown', async () => {
    const issuer = new Issuer([first]);
    issuer.goAway();
    await expect(issuer.knows(first)).rejects.toThrow(IssuerUnavailable);
    await expect(issuer.knows(second)).rejects.toThrow(IssuerUnavailable);
    expect([issuer.questions, issuer.failures]).toEqual([1, 1]);
    issuer.comeBack();
    issuer.nowMs += RETRY_AFTER_MS;
    expect(await issuer.knows(first)).toBe(true);
    issuer.goAway();
    issuer.nowMs += COOLDOWN_MS;
    await expect(issuer.knows(second)).rejects.toThrow(IssuerUnavailable);
    expect(await issuer.knows(first)).toBe(true);
  });

  it.each([null, [], {}, { keys: null }, { keys: ['key'] }])(
    'are not to be had from a document like %j',
    async (document) => {
      const issuer = new Issuer([]);
      issuer.answer = () => Promise.resolve(document as unknown as JSONWebKeySet);
      await expect(issuer.knows(first)).rejects.toThrow(IssuerUnavailable);
    },
  );
});
