import { exportSPKI, importJWK, type JWK } from 'jose';
import { Logger } from 'nestjs-pino';
import { expectProblem } from '../http/expect-problem.js';
import { ADMIN_TOKEN, type HttpAnswer, HttpService } from '../http/http-service.js';
import { CALM } from '../support/memory-event-store.js';
import { AUDIENCE, aKey, CLIENT, type Forged, OpenIdProvider } from '../support/openid-provider.js';

const SKEW_SECONDS = 30;

let provider: OpenIdProvider;
let service: HttpService;
const lines: string[] = [];
const tokens: string[] = [];

beforeAll(async () => {
  provider = await OpenIdProvider.start();
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

async function startService(jwksUri?: string): Promise<HttpService> {
  const started = await HttpService.start({
    plan: CALM,
    log: (line) => lines.push(line),
    openId: {
      issuer: provider.issuer,
      audience: AUDIENCE,
      jwksUri,
      clockSkewSeconds: SKEW_SECONDS,
      client: CLIENT,
    },
  });
  started.app.useLogger(started.app.get(Logger));
  await put(started, 'robot-1', { kind: 'service_account', scopes: ['agent:read'], oidcSubject: 'robot' });
  return started;
}

async function put(at: HttpService, id: string, document: object): Promise<HttpAnswer> {
  return at.call('PUT', `/principals/${id}`, { body: { kind: 'person', enabled: true, ...document } });
}

async function me(token: string, at = service): Promise<HttpAnswer> {
  tokens.push(token);
  return at.call('GET', '/me', { token });
}

function forge(forged: Forged = {}): Promise<string> {
  return provider.forge(service.clock.now(), forged);
}

function secondsFromNow(seconds: number): number {
  return Math.floor(service.clock.now() / 1_000) + seconds;
}

describe('an access token of the issuer', () => {
  it('says who is asking: the principal whose record names its subject', async () => {
    const answer = await me(await provider.accessToken());
    expect([answer.status, answer.body]).toEqual([
      200,
      { id: 'robot-1', kind: 'service_account', enabled: true, admin: false, grants: [], scopes: ['agent:read'] },
    ]);
    expect((await me(await forge())).body.id).toBe('robot-1');
  });

  it.each<[string, () => Forged]>([
    ['has run out', () => ({ claims: { exp: secondsFromNow(-SKEW_SECONDS - 1) } })],
    ['never runs out', () => ({ claims: { exp: undefined } })],
    ['is not yet good', () => ({ claims: { nbf: secondsFromNow(SKEW_SECONDS + 5) } })],
    ['was made in the future', () => ({ claims: { iat: secondsFromNow(SKEW_SECONDS + 5) } })],
    ['is for somebody else', () => ({ claims: { aud: 'https://other.example/api' } })],
    ['is for nobody', () => ({ claims: { aud: undefined } })],
    ['is of another issuer', () => ({ claims: { iss: 'https://issuer.example' } })],
    ['is of the issuer, differently written', () => ({ claims: { iss: `${provider.issuer}/` } })],
    ['is of nobody', () => ({ claims: { iss: undefined } })],
    ['has no subject', () => ({ claims: { sub: undefined } })],
    ['has an empty subject', () => ({ claims: { sub: '' } })],
    ['has a subject that is no text', () => ({ claims: { sub: ['robot'] as unknown as string } })],
    ['has an unknown subject', () => ({ claims: { sub: 'stranger' } })],
    ['has the id of a principal for a subject', () => ({ claims: { sub: 'robot-1' } })],
    ['is an ID token by its audience', () => ({ claims: { aud: [CLIENT.id, AUDIENCE] }, header: { typ: 'JWT' } })],
    ['is an ID token by what it vouches for', () => ({ claims: { at_hash: 'x' }, header: { typ: 'JWT' } })],
    ['says that it is something else', () => ({ header: { typ: 'logout+jwt' } })],
    ['is bound to a key of its bearer', () => ({ claims: { cnf: { jkt: 'x' } } })],
    ['names an extension that nobody knows', () => ({ header: { crit: ['odd'], odd: 1 } })],
  ])('that %s lets nobody in', async (_what, forged) => {
    expectProblem(await me(await forge(forged())), 'unauthenticated');
  });

  it.each(['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', undefined])('may call itself %s', async (typ) => {
    expect((await me(await forge({ header: { typ } }))).status).toBe(200);
  });

  it('may name several audiences', async () => {
    expect((await me(await forge({ claims: { aud: ['https://other.example', AUDIENCE] } }))).status).toBe(200);
  });

  it('is taken where the clocks differ by no more than was said', async () => {
    const near = SKEW_SECONDS - 5;
    for (const claims of [
      { exp: secondsFromNow(-near) },
      { nbf: secondsFromNow(near) },
      { iat: secondsFromNow(near), nbf: secondsFromNow(near) },
    ]) {
      expect((await me(await forge({ claims }))).status).toBe(200);
    }
  });

  it('that the provider made for another audience lets nobody in', async () => {
    expectProblem(await me(await provider.accessToken('https://other.example/api')), 'unauthenticated');
  });

  it('without a signature lets nobody in', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [, payload] = (await forge()).split('.');
    for (const alg of ['none', 'None', 'NONE', '']) {
      expectProblem(await me(`${part({ alg, typ: 'at+jwt' })}.${payload}.`), 'unauthenticated');
    }
    const [header] = (await forge()).split('.');
    expectProblem(await me(`${header}.${payload}.`), 'unauthenticated');
  });

  it('signed with the public key as a shared secret lets nobody in', async () => {
    const pem = await exportSPKI((await importJWK(provider.publicKey, 'RS256')) as never);
    const spellings = [pem, pem.trimEnd(), JSON.stringify(provider.publicKey), provider.publicKey.n as string];
    for (const secret of spellings) {
      for (const alg of ['HS256', 'HS512']) {
        const key: JWK = {
          kty: 'oct',
          k: Buffer.from(secret).toString('base64url'),
          alg,
          kid: provider.publicKey.kid as string,
        };
        expectProblem(await me(await forge({ key })), 'unauthenticated');
      }
    }
  });

  it('signed by a key of somebody else lets nobody in, whatever the token says of the key', async () => {
    const key = await aKey('RS256');
    const { kty, n, e } = key;
    for (const header of [
      {},
      { kid: provider.publicKey.kid },
      { kid: provider.publicKey.kid, jwk: { kty, n, e } },
      { kid: undefined, jku: `${provider.issuer}/jwks` },
    ]) {
      expectProblem(await me(await forge({ key, header })), 'unauthenticated');
    }
  });

  it('whose words were changed lets nobody in', async () => {
    const [header, payload, signature] = (await forge({ claims: { sub: 'stranger' } })).split('.');
    const claims = JSON.parse(Buffer.from(payload as string, 'base64url').toString());
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'robot' })).toString('base64url');
    expectProblem(await me(`${header}.${changed}.${signature}`), 'unauthenticated');
  });

  it('is not looked at when it is longer than any has to be', async () => {
    expectProblem(await me(await forge({ claims: { padding: 'x'.repeat(7_000) } })), 'unauthenticated');
    expect((await me(await forge({ claims: { padding: 'x'.repeat(4_000) } }))).status).toBe(200);
  });

  it.each(['eyJ', 'eyJ.eyJ.x', 'eyJhbGciOiJSUzI1NiJ9..', 'eyJhbGciOiJSUzI1NiJ9.e30.', `eyJ${'A'.repeat(900)}.A.A`])(
    'is more than something that looks like one: %s',
    async (token) => {
      expectProblem(await me(token), 'unauthenticated');
    },
  );

  it('is told apart by the challenge from a token that is missing', async () => {
    const answer = await me(await forge({ claims: { exp: secondsFromNow(-100) } }));
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="holdpoint", error="invalid_token"');
  });
});

describe('who has a subject', () => {
  it('SUB-6 is disabled, moved or gone at once, while the token is still good', async () => {
    const token = await forge({ claims: { sub: 'auth0|7' } });
    await put(service, 'olga', { oidcSubject: 'auth0|7' });
    expect((await me(token)).body.id).toBe('olga');
    await put(service, 'olga', { oidcSubject: 'auth0|7', enabled: false });
    expectProblem(await me(token), 'forbidden');
    await put(service, 'olga', { oidcSubject: 'auth0|8' });
    expectProblem(await me(token), 'unauthenticated');
    await put(service, 'pete', { oidcSubject: 'auth0|7' });
    expect((await me(token)).body.id).toBe('pete');
    await put(service, 'pete', {});
    expectProblem(await me(token), 'unauthenticated');
  });

  it('is one principal: a second one is refused it', async () => {
    await put(service, 'gina', { oidcSubject: 'auth0|9' });
    expectProblem(await put(service, 'otto', { oidcSubject: 'auth0|9' }), 'subject-taken');
    expectProblem(await service.call('GET', '/principals/otto'), 'principal-not-found');
    expect((await put(service, 'gina', { oidcSubject: 'auth0|9' })).status).toBe(200);
  });

  it('may have characters that no id has', async () => {
    const sub = 'https://idp.example/users/7?x=1&y=__proto__|%00';
    await put(service, 'ada', { oidcSubject: sub });
    expect((await me(await forge({ claims: { sub } }))).body.id).toBe('ada');
  });
});

describe('the keys of the issuer', () => {
  it('may change: a token by a new one is taken, one by an old one no more', async () => {
    const other = await startService();
    const old = await provider.forge(Date.now());
    expect((await me(old, other)).status).toBe(200);
    for (const alg of ['ES256', 'EdDSA', 'PS256']) {
      await provider.rotate(alg);
      // A service that starts now knows the new keys; one that runs asks for them at most every half minute.
      const fresh = await startService();
      expect((await me(await provider.accessToken(), fresh)).status).toBe(200);
      expectProblem(await me(old, fresh), 'unauthenticated');
      await fresh.stop();
    }
    await other.stop();
    await service.stop();
    service = await startService();
  }, 60_000);

  it('are still taken while the issuer is away; whether an unknown one is its own nobody can tell', async () => {
    const known = await provider.forge(Date.now());
    const unknown = await provider.forge(Date.now(), { key: await aKey('RS256') });
    const other = await startService();
    expect((await me(known, other)).status).toBe(200);
    provider.isAway = true;
    const fresh = await startService();
    expect((await me(known, other)).status).toBe(200);
    const answer = await me(known, fresh);
    expectProblem(answer, 'issuer-unavailable', { correlationId: expect.any(String) });
    expect(answer.headers.get('retry-after')).toBe('5');
    expectProblem(await me(unknown, fresh), 'issuer-unavailable', { correlationId: expect.any(String) });
    // Whatever needs no issuer goes on.
    expect((await fresh.call('GET', '/me')).status).toBe(200);
    const stranger = await provider.forge(Date.now(), { claims: { iss: 'https://issuer.example' } });
    expectProblem(await me(stranger, fresh), 'unauthenticated');
    provider.isAway = false;
    await Promise.all([other.stop(), fresh.stop()]);
  }, 30_000);

  it('are read where the operator says, without asking the issuer where they are', async () => {
    const asked = provider.asked.get('/.well-known/openid-configuration');
    const other = await startService(`${provider.issuer}/jwks`);
    expect((await me(await provider.accessToken(), other)).status).toBe(200);
    expect(provider.asked.get('/.well-known/openid-configuration')).toBe(asked);
    await other.stop();
  });
});

describe('without an issuer', () => {
  it('a token of one is no token', async () => {
    const other = await HttpService.start();
    await put(other, 'robot-1', { oidcSubject: 'robot' });
    expectProblem(await me(await provider.accessToken(), other), 'unauthenticated');
    expect((await me(ADMIN_TOKEN, other)).status).toBe(200);
    await other.stop();
  });
});

describe('the log', () => {
  it('has no token, no part of one and no subject in it', async () => {
    await service.request('GET', '/health/live');
    const all = lines.join('');
    expect(all.includes('An access token was refused')).toBe(true);
    expect(all.includes('The keys of the OpenID issuer could not be read')).toBe(true);
    const parts = tokens.flatMap((token) => token.split('.')).filter((part) => part.length > 30);
    expect(parts.length).toBeGreaterThan(100);
    expect(parts.filter((part) => all.includes(part))).toEqual([]);
    expect(/auth0|stranger|BEGIN PUBLIC KEY/.exec(all)).toBeNull();
  });
});
