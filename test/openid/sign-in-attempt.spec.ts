import { ATTEMPT_LIFETIME_SECONDS, AttemptSeal } from '../../src/openid/sign-in-attempt.js';

const ATTEMPT = { state: 's-1', nonce: 'n-1', codeVerifier: 'v-1', returnTo: '/runs/0123' };

describe('an attempt to sign in', () => {
  let nowMs = Date.parse('2030-01-01T00:00:00.000Z');
  const seal = new AttemptSeal(Buffer.alloc(32, 1), () => nowMs);

  it('is opened by whoever has the key, and by nobody else', async () => {
    const sealed = await seal.seal(ATTEMPT);
    expect(await new AttemptSeal(Buffer.alloc(32, 1), () => nowMs).open(sealed)).toMatchObject(ATTEMPT);
    expect(await new AttemptSeal(Buffer.alloc(32, 2), () => nowMs).open(sealed)).toBeNull();
  });

  it('does not show what is in it', async () => {
    const sealed = await seal.seal(ATTEMPT);
    const shown = sealed
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      .join();
    for (const value of Object.values(ATTEMPT)) expect(shown).not.toContain(value);
  });

  it('is good for ten minutes', async () => {
    const sealed = await seal.seal(ATTEMPT);
    nowMs += (ATTEMPT_LIFETIME_SECONDS - 1) * 1_000;
    expect(await seal.open(sealed)).toMatchObject(ATTEMPT);
    nowMs += 1_000;
    expect(await seal.open(sealed)).toBeNull();
  });

  it.each(['', 'x', 'a.b.c', 'a.b.c.d.e', 'eyJhbGciOiJub25lIn0.e30.'])('is not made up: %j', async (sealed) => {
    expect(await seal.open(sealed)).toBeNull();
  });
});
