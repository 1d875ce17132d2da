import { resolve } from 'node:path';
import { EnvironmentInvalid, loadEnvironment } from '../../src/config/environment.js';

const KEY = Buffer.alloc(32, 7).toString('base64');

function sentencesFor(env: Record<string, string>): readonly string[] {
  try {
    loadEnvironment(env);
  } catch (error) {
    if (error instanceof EnvironmentInvalid) return error.sentences;
    throw error;
  }
  return [];
}

describe('the environment', () => {
  it('has a default for everything', () => {
    expect(loadEnvironment({})).toEqual({
      port: 3000,
      host: '127.0.0.1',
      dataDir: resolve('data'),
      store: { kind: 'sqlite' },
      masterKey: undefined,
      baseUrl: undefined,
      roles: ['api', 'worker'],
      maxSegments: 16,
      leaseMs: 60_000,
      keepOutcomeMs: 2_592_000_000,
      keepWorkingMs: 0,
      bootstrapToken: undefined,
      openId: undefined,
      demo: false,
      logLevel: 'info',
      limits: {
        failedAuthenticationsPerMinute: 600,
        answersPerMinute: 3_000,
        startsPerMinute: 3_000,
        waitingRequests: 100,
      },
    });
  });

  it('is read in the units and the types that its readers want', () => {
    expect(
      loadEnvironment({
        PORT: '0',
        HOST: '::1',
        HOLDPOINT_DATA_DIR: '/var/lib/holdpoint',
        HOLDPOINT_STORE: 'sqlite',
        HOLDPOINT_MASTER_KEY: KEY,
        HOLDPOINT_BASE_URL: 'https://example.org/holdpoint/',
        HOLDPOINT_ROLES: 'worker',
        HOLDPOINT_MAX_SEGMENTS: '2',
        HOLDPOINT_LEASE_SECONDS: '5',
        HOLDPOINT_BOOTSTRAP_TOKEN: 'a-token-of-24-characters',
        HOLDPOINT_DEMO: '1',
        HOLDPOINT_LOG_LEVEL: 'silent',
        HOLDPOINT_RATE_FAILED_AUTHENTICATIONS: '1',
        HOLDPOINT_RATE_ANSWERS: '2',
        HOLDPOINT_RATE_STARTS: '0',
        HOLDPOINT_RATE_WAITING: '4',
        UNRELATED: 'kept out',
      }),
    ).toEqual({
      port: 0,
      host: '::1',
      dataDir: '/var/lib/holdpoint',
      store: { kind: 'sqlite' },
      masterKey: KEY,
      baseUrl: 'https://example.org/holdpoint',
      roles: ['worker'],
      maxSegments: 2,
      leaseMs: 5_000,
      keepOutcomeMs: 2_592_000_000,
      keepWorkingMs: 0,
      bootstrapToken: 'a-token-of-24-characters',
      openId: undefined,
      demo: true,
      logLevel: 'silent',
      limits: { failedAuthenticationsPerMinute: 1, answersPerMinute: 2, startsPerMinute: 0, waitingRequests: 4 },
    });
  });

  it('takes an empty variable for one that was not set', () => {
    const empty = [
      'PORT',
      'HOST',
      'HOLDPOINT_MASTER_KEY',
      'HOLDPOINT_ROLES',
      'HOLDPOINT_DEMO',
      'HOLDPOINT_BOOTSTRAP_TOKEN',
    ];
    expect(loadEnvironment(Object.fromEntries(empty.map((name) => [name, ''])))).toEqual(loadEnvironment({}));
  });

  it.each([
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3e3'],
    ['HOST', 'two words'],
    ['HOLDPOINT_STORE', 'postgres://admin:changeit@cluster:5432'],
    ['HOLDPOINT_MASTER_KEY', 'c2hvcnQ='],
    ['HOLDPOINT_MASTER_KEY', `${KEY}=`],
    ['HOLDPOINT_BASE_URL', 'example.org'],
    ['HOLDPOINT_BASE_URL', 'https://user:secret@example.org'],
    ['HOLDPOINT_BASE_URL', 'https://example.org/?page=1'],
    ['HOLDPOINT_ROLES', 'api,cook'],
    ['HOLDPOINT_ROLES', ','],
    ['HOLDPOINT_MAX_SEGMENTS', '0'],
    ['HOLDPOINT_LEASE_SECONDS', '1.5'],
    ['HOLDPOINT_BOOTSTRAP_TOKEN', 'too-short'],
    ['HOLDPOINT_BOOTSTRAP_TOKEN', 'long enough, but has blanks'],
    ['HOLDPOINT_BOOTSTRAP_TOKEN', 'hp.looks.like.one.that.was.issued'],
    ['HOLDPOINT_BOOTSTRAP_TOKEN', 'eyJ.looks.like.one.of.the.issuer'],
    ['HOLDPOINT_OIDC_ISSUER', 'http://issuer.example'],
    ['HOLDPOINT_OIDC_ISSUER', 'issuer.example'],
    ['HOLDPOINT_OIDC_ISSUER', 'https://user:secret@issuer.example'],
    ['HOLDPOINT_OIDC_ISSUER', 'https://issuer.example?tenant=1'],
    ['HOLDPOINT_OIDC_ISSUER', 'https://issuer.example'],
    ['HOLDPOINT_OIDC_AUDIENCE', 'two words'],
    ['HOLDPOINT_OIDC_AUDIENCE', 'holdpoint'],
    ['HOLDPOINT_OIDC_JWKS_URI', 'file:///etc/passwd'],
    ['HOLDPOINT_OIDC_CLOCK_SKEW_SECONDS', '301'],
    ['HOLDPOINT_OIDC_CLIENT_SECRET', 'secret'],
    ['HOLDPOINT_BOOTSTRAP_OIDC_SUBJECT', 'auth0|7'],
    ['HOLDPOINT_DEMO', 'yes'],
    ['HOLDPOINT_LOG_LEVEL', 'loud'],
  ])('refuses this %s with one sentence that names it and says what to write: %s', (name, value) => {
    const sentences = sentencesFor({ [name]: value });
    expect(sentences).toEqual([expect.stringMatching(new RegExp(`^${name} must .{2,}\\.$`))]);
  });

  it.each([
    ['HOLDPOINT_STORE', 'postgres://admin:changeit@cluster:5432'],
    ['HOLDPOINT_MASTER_KEY', 'c2VjcmV0'],
    ['HOLDPOINT_BASE_URL', 'https://user:secret@example.org'],
    ['HOLDPOINT_BOOTSTRAP_TOKEN', 'hp.looks.like.one.that.was.issued'],
  ])('never repeats what stands in %s', (name, value) => {
    expect(sentencesFor({ [name]: value })[0]).not.toContain(value);
  });

  it('tells of every bad variable at once', () => {
    const sentences = sentencesFor({ PORT: 'x', HOLDPOINT_ROLES: 'x', HOLDPOINT_LOG_LEVEL: 'x' });
    expect(sentences).toHaveLength(3);
    expect(new EnvironmentInvalid(sentences).message.split('\n')).toHaveLength(3);
  });
});

describe('an issuer in the environment', () => {
  const issuer = {
    HOLDPOINT_OIDC_ISSUER: 'https://issuer.example/realms/one/',
    HOLDPOINT_OIDC_AUDIENCE: 'holdpoint',
  };
  const client = {
    ...issuer,
    HOLDPOINT_OIDC_CLIENT_ID: 'inbox',
    HOLDPOINT_OIDC_CLIENT_SECRET: 'a secret of theirs',
    HOLDPOINT_BASE_URL: 'https://holdpoint.example',
  };

  it('needs no more than its address and the audience, and keeps the address as it is written', () => {
    expect(loadEnvironment(issuer).openId).toEqual({
      issuer: 'https://issuer.example/realms/one/',
      audience: 'holdpoint',
      jwksUri: undefined,
      clockSkewSeconds: 30,
      client: undefined,
      bootstrapSubject: undefined,
    });
    expect(loadEnvironment({ ...issuer, HOLDPOINT_OIDC_ISSUER: 'http://127.0.0.1:4000' }).openId?.issuer).toBe(
      'http://127.0.0.1:4000',
    );
  });

  it('may know the service as its client, and the first administrator', () => {
    const all = {
      ...client,
      HOLDPOINT_OIDC_JWKS_URI: 'https://issuer.example/keys',
      HOLDPOINT_OIDC_CLOCK_SKEW_SECONDS: '0',
      HOLDPOINT_BOOTSTRAP_OIDC_SUBJECT: 'auth0|7',
    };
    expect(loadEnvironment(all).openId).toMatchObject({
      jwksUri: 'https://issuer.example/keys',
      clockSkewSeconds: 0,
      client: { id: 'inbox', secret: 'a secret of theirs' },
      bootstrapSubject: 'auth0|7',
    });
  });

  it.each<[Record<string, string>, string]>([
    [{ ...client, HOLDPOINT_BASE_URL: '' }, 'HOLDPOINT_OIDC_CLIENT_ID must have HOLDPOINT_BASE_URL beside it.'],
    [
      { ...client, HOLDPOINT_OIDC_CLIENT_ID: '' },
      'HOLDPOINT_OIDC_CLIENT_SECRET must have HOLDPOINT_OIDC_CLIENT_ID beside it.',
    ],
    [
      { ...client, HOLDPOINT_OIDC_CLIENT_ID: 'holdpoint' },
      'HOLDPOINT_OIDC_AUDIENCE must not be HOLDPOINT_OIDC_CLIENT_ID.',
    ],
  ])('is refused where a part of it is missing: %#', (env, sentence) => {
    expect(sentencesFor(env)).toEqual([sentence]);
  });

  it('never repeats the secret of the client', () => {
    const sentences = sentencesFor({ ...client, HOLDPOINT_OIDC_CLIENT_SECRET: 'geheim\u00e4' });
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).not.toContain('geheim');
  });
});
