import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { ProviderStore } from './openid-provider-store.js';

export const AUDIENCE = 'https://holdpoint.example/api';
export const CLIENT = { id: 'holdpoint-inbox', secret: 'client-secret-of-the-tests' };
const ROBOT = { id: 'robot', secret: 'secret-of-the-robot' };

const INTERACTION = '/interaction/';

/** As much of the provider's context as the grant needs. */
interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: {
      readonly Grant: new (of: {
        clientId: string;
        accountId: string;
      }) => {
        addOIDCScope(scope: string): void;
        save(): Promise<string>;
      };
    };
  };
}

/** A token as the tests want it, down to what no provider would make. */
export interface Forged {
  readonly header?: Record<string, unknown>;
  readonly claims?: JWTPayload;
  /** Absent: the key by which the provider signs. */
  readonly key?: JWK;
}

/** A real OpenID provider on a free port of this machine, whose keys the tests know. */
export class OpenIdProvider {
  /** Requests that it got for this path. */
  readonly asked = new Map<string, number>();
  private key: JWK = {};
  private away = false;
  private readonly store = new ProviderStore();
  private provider: Provider | undefined;
  /** Who signs in at the provider next; null: they refuse. */
  person: string | null = null;

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
    private readonly redirectUri: string,
  ) {}

  static async start(redirectUri = 'https://holdpoint.example/inbox/sign-in/oidc/callback'): Promise<OpenIdProvider> {
    // The issuer is its own address, so it has to listen before it can be made.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const provider = new OpenIdProvider(server, `http://127.0.0.1:${port}`, redirectUri);
    server.on('request', (request, response) => {
      void provider.answer(request, response);
    });
    await provider.rotate();
    return provider;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** From now on it signs by another key, and knows the earlier one no more. */
  async rotate(alg = 'RS256'): Promise<void> {
    this.key = await aKey(alg);
    this.provider = new Provider(this.issuer, this.configuration());
  }

  /** Whether it answers nothing but errors. */
  set isAway(away: boolean) {
    this.away = away;
  }

  get publicKey(): JWK {
    const { kty, n, e, crv, x, y, kid, alg, use } = this.key;
    return Object.fromEntries(
      Object.entries({ kty, n, e, crv, x, y, kid, alg, use }).filter(([, value]) => value !== undefined),
    ) as JWK;
  }

  /** An access token that the provider itself made for this audience. */
  async accessToken(audience = AUDIENCE): Promise<string> {
    const response = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${ROBOT.id}:${ROBOT.secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  /** A token that holds, but for what the test changes. */
  async forge(nowMs: number, { header = {}, claims = {}, key = this.key }: Forged = {}): Promise<string> {
    const now = Math.floor(nowMs / 1_000);
    const payload = {
      iss: this.issuer,
      aud: AUDIENCE,
      sub: ROBOT.id,
      iat: now,
      exp: now + 60,
      jti: randomUUID(),
      ...claims,
    };
    const given = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
    const protectedHeader = { alg: key.alg as string, typ: 'at+jwt', ...(key.kid && { kid: key.kid }), ...header };
    return await new SignJWT(given).setProtectedHeader(protectedHeader).sign(key, { crit: { odd: true } });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?', 1)[0] as string;
    this.asked.set(path, (this.asked.get(path) ?? 0) + 1);
    if (this.away || this.provider === undefined) response.writeHead(503).end();
    else if (path.startsWith(INTERACTION)) await this.provider.interactionFinished(request, response, this.decision());
    else await this.provider.callback()(request, response);
  }

  private decision() {
    return this.person === null ? { error: 'access_denied' } : { login: { accountId: this.person } };
  }

  private configuration(): object {
    return {
      jwks: { keys: [this.key] },
      cookies: { keys: ['key-of-the-cookies-of-the-tests'] },
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [this.redirectUri],
          id_token_signed_response_alg: this.key.alg,
        },
        {
          client_id: ROBOT.id,
          client_secret: ROBOT.secret,
          redirect_uris: [],
          response_types: [],
          grant_types: ['client_credentials'],
          id_token_signed_response_alg: this.key.alg,
        },
      ],
      adapter: this.store.adapter(),
      ttl: {
        AccessToken: 60,
        AuthorizationCode: 60,
        ClientCredentials: 60,
        Grant: 600,
        IdToken: 60,
        Interaction: 600,
        Session: 600,
      },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `${INTERACTION}${uid}` },
      findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
      // Nobody is asked whether the client may know who they are.
      loadExistingGrant: async ({ oidc }: GrantContext) => {
        const { clientId } = oidc.client;
        const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope('openid');
        await grant.save();
        return grant;
      },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context: unknown, audience: string) => ({
            scope: '',
            audience,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: this.key.alg } },
          }),
        },
      },
    };
  }
}

/** A private key, as a provider keeps it. */
export async function aKey(alg: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: randomUUID() };
}
