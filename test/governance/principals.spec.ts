import { IssueToken } from '../../src/commands/governance/issue-token.command.js';
import { PutPrincipal } from '../../src/commands/governance/put-principal.command.js';
import { RevokeToken } from '../../src/commands/governance/revoke-token.command.js';
import { SystemEntropy } from '../../src/event-store/entropy.js';
import { MOST_TOKENS } from '../../src/governance/decisions/issue-token.js';
import { NO_PRECONDITION } from '../../src/governance/documents.js';
import { makeToken } from '../../src/governance/tokens.js';
import { GovernanceDesk, remains } from '../support/governance-desk.js';
import { aPrincipal, ROOT } from '../support/governance-samples.js';

const entropy = new SystemEntropy();
const DAY_MS = 86_400_000;

async function deskWith(...ids: string[]): Promise<GovernanceDesk> {
  const desk = new GovernanceDesk(remains());
  for (const id of ids) await desk.execute(new PutPrincipal(ROOT, id, aPrincipal(), NO_PRECONDITION, 'c'));
  return desk;
}

async function issue(desk: GovernanceDesk, principalId: string, expiresAt: string | null = null) {
  const { tokenId, hash, token } = makeToken(entropy, principalId);
  const result = await desk.execute(new IssueToken(ROOT, principalId, { tokenId, name: null, hash, expiresAt }, 'c'));
  return { tokenId, token, result };
}

describe('a token', () => {
  it('says who is asking, as long as it is neither expired nor revoked', async () => {
    const desk = await deskWith('olga');
    const { clock } = desk.remains;
    const lasting = await issue(desk, 'olga');
    const brief = await issue(desk, 'olga', new Date(clock.nowMs + DAY_MS).toISOString());
    expect(await desk.principals.authenticate(lasting.token)).toMatchObject({ id: 'olga' });
    expect(await desk.principals.authenticate(brief.token)).toMatchObject({ id: 'olga' });
    clock.nowMs += DAY_MS;
    expect(await desk.principals.authenticate(brief.token)).toBeNull();
    await desk.execute(new RevokeToken(ROOT, 'olga', lasting.tokenId, 'c'));
    expect(await desk.principals.authenticate(lasting.token)).toBeNull();
  });

  it('SUB-6 that was revoked in another process does not count any more in this one', async () => {
    const desk = await deskWith('olga');
    const { token, tokenId } = await issue(desk, 'olga');
    const other = new GovernanceDesk(desk.remains);
    expect(await other.principals.authenticate(token)).not.toBeNull();
    await desk.execute(new RevokeToken(ROOT, 'olga', tokenId, 'c'));
    expect(await other.principals.authenticate(token)).toBeNull();
  });

  it('SUB-6 is that of a principal as the directory has it now', async () => {
    const desk = await deskWith('olga');
    const { token } = await issue(desk, 'olga');
    const disabled = aPrincipal({ enabled: false });
    await new GovernanceDesk(desk.remains).execute(new PutPrincipal(ROOT, 'olga', disabled, NO_PRECONDITION, 'c'));
    expect(await desk.principals.authenticate(token)).toMatchObject({ id: 'olga', enabled: false });
  });

  it('opens nothing when a character of it, its id or its principal is another one', async () => {
    const desk = await deskWith('olga', 'otto');
    const { token, tokenId } = await issue(desk, 'olga');
    const twin = makeToken(entropy, 'olga');
    const wrong = [
      token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A'),
      token.replace('olga', 'otto'),
      token.replace('olga', 'nobody'),
      token.replace(tokenId, 'other'),
      `${token}x`,
      token.slice(0, -1),
      twin.token,
      'hp.olga',
      '',
      '__proto__',
    ];
    for (const presented of wrong) expect(await desk.principals.authenticate(presented)).toBeNull();
  });

  it('is not in the log, nor is its secret', async () => {
    const desk = await deskWith('olga');
    const { token } = await issue(desk, 'olga');
    const secret = token.split('.')[3] as string;
    const log = JSON.stringify(desk.remains.log.events.map(({ data, metadata }) => [data, metadata]));
    expect(log).not.toContain(secret);
    expect(log).toMatch(/"hash\\":\\"[0-9a-f]{64}/);
  });

  it('is refused when it would have expired before it was told, and for nobody', async () => {
    const desk = await deskWith('olga');
    const past = new Date(desk.remains.clock.nowMs).toISOString();
    expect((await issue(desk, 'olga', past)).result).toEqual({
      outcome: 'rejected',
      rejection: { code: 'expiry_in_the_past' },
    });
    expect((await issue(desk, 'nobody')).result).toEqual({
      outcome: 'rejected',
      rejection: { code: 'principal_not_found' },
    });
  });

  it('is one of a bounded number that can be used at once', async () => {
    const desk = await deskWith('olga');
    const issued = [];
    for (let count = 0; count < MOST_TOKENS; count += 1) issued.push(await issue(desk, 'olga'));
    const tooMany = { outcome: 'rejected', rejection: { code: 'too_many_tokens' } };
    expect((await issue(desk, 'olga')).result).toEqual(tooMany);
    await desk.execute(new RevokeToken(ROOT, 'olga', issued[0]?.tokenId as string, 'c'));
    expect((await issue(desk, 'olga')).result).toMatchObject({ outcome: 'accepted' });
  });
});

describe('administrators cannot lock themselves out', () => {
  const olga = { kind: 'principal', id: 'olga' } as const;
  const selfLockout = { outcome: 'rejected', rejection: { code: 'self_lockout' } };

  it.each([
    ['no longer be admin', aPrincipal({ admin: false })],
    ['be disabled', aPrincipal({ admin: true, enabled: false })],
    ['be a service account', aPrincipal({ admin: true, kind: 'service_account' })],
  ])('by putting themselves to %s; another administrator can', async (_what, document) => {
    const desk = new GovernanceDesk(remains());
    for (const id of ['root', 'olga']) {
      await desk.execute(new PutPrincipal(ROOT, id, aPrincipal({ admin: true }), NO_PRECONDITION, 'c'));
    }
    expect(await desk.execute(new PutPrincipal(olga, 'olga', document, NO_PRECONDITION, 'c'))).toEqual(selfLockout);
    expect(await desk.execute(new PutPrincipal(ROOT, 'olga', document, NO_PRECONDITION, 'c'))).toMatchObject({
      outcome: 'accepted',
      change: 'replaced',
    });
  });

  it('by revoking the last token that they can come in with', async () => {
    const desk = await deskWith('olga');
    const first = await issue(desk, 'olga');
    expect(await desk.execute(new RevokeToken(olga, 'olga', first.tokenId, 'c'))).toEqual(selfLockout);
    const second = await issue(desk, 'olga');
    expect(await desk.execute(new RevokeToken(olga, 'olga', first.tokenId, 'c'))).toEqual({ outcome: 'accepted' });
    expect(await desk.execute(new RevokeToken(ROOT, 'olga', second.tokenId, 'c'))).toEqual({ outcome: 'accepted' });
  });
});
