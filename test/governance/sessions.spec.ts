import { IssueToken } from '../../src/commands/governance/issue-token.command.js';
import { PutPrincipal } from '../../src/commands/governance/put-principal.command.js';
import { RevokeToken } from '../../src/commands/governance/revoke-token.command.js';
import { SystemEntropy } from '../../src/event-store/entropy.js';
import type { SessionCredential } from '../../src/events/sign-in-events.js';
import type { PrincipalDocument } from '../../src/governance/decisions/put-principal.js';
import { NO_PRECONDITION } from '../../src/governance/documents.js';
import { SESSION_LIFETIME_MS, type Session } from '../../src/governance/sessions.js';
import { LINK_LIFETIME_MS } from '../../src/governance/sign-in-links.js';
import { hashOfSubject } from '../../src/governance/subject-record.js';
import { makeToken } from '../../src/governance/tokens.js';
import { GovernanceDesk, remains } from '../support/governance-desk.js';
import { aPrincipal, ROOT } from '../support/governance-samples.js';

const BY_LINK: SessionCredential = { kind: 'link' };

async function put(desk: GovernanceDesk, changed: Partial<PrincipalDocument> = {}): Promise<void> {
  await desk.execute(new PutPrincipal(ROOT, 'olga', aPrincipal(changed), NO_PRECONDITION, 'c'));
}

async function deskWithOlga(changed: Partial<PrincipalDocument> = {}): Promise<GovernanceDesk> {
  const desk = new GovernanceDesk(remains());
  await put(desk, changed);
  return desk;
}

async function begin(desk: GovernanceDesk, credential = BY_LINK): Promise<Session> {
  return (await desk.sessions.begin('olga', credential, 'c')) as Session;
}

describe('a session', () => {
  it('says whose it is, in every process', async () => {
    const desk = await deskWithOlga();
    const session = await begin(desk);
    expect(session.principal).toMatchObject({ id: 'olga' });
    expect(await new GovernanceDesk(desk.remains).sessions.find(session.secret)).toMatchObject({ id: 'olga' });
  });

  it('is stored without what opens it', async () => {
    const desk = await deskWithOlga();
    const { secret } = await begin(desk);
    const stored = desk.remains.log.events.map(({ stream, data, metadata }) => stream + data + metadata).join();
    expect(stored).not.toContain(secret);
  });

  it.each(['', 'x', 'A'.repeat(43), `${'A'.repeat(43)}=`, '__proto__'])(
    'is none where nobody began it: %j',
    async (secret) => {
      const desk = await deskWithOlga();
      await begin(desk);
      expect(await desk.sessions.find(secret)).toBeNull();
      await expect(desk.sessions.end(secret, 'c')).resolves.toBeUndefined();
    },
  );

  it('is over when it was ended, in every process, and for good', async () => {
    const desk = await deskWithOlga();
    const other = new GovernanceDesk(desk.remains);
    const { secret } = await begin(desk);
    expect(await other.sessions.find(secret)).not.toBeNull();
    await desk.sessions.end(secret, 'c');
    await desk.sessions.end(secret, 'c');
    expect(await other.sessions.find(secret)).toBeNull();
    expect(desk.remains.log.events.filter(({ type }) => type === 'SessionEnded')).toHaveLength(1);
  });

  it('is over after twelve hours, however much it was used', async () => {
    const desk = await deskWithOlga();
    const { secret, expiresAtMs } = await begin(desk);
    expect(expiresAtMs - desk.remains.clock.nowMs).toBe(12 * 60 * 60 * 1_000);
    desk.remains.clock.nowMs += SESSION_LIFETIME_MS - 1;
    expect(await desk.sessions.find(secret)).not.toBeNull();
    desk.remains.clock.nowMs += 1;
    expect(await desk.sessions.find(secret)).toBeNull();
  });

  it('SUB-6 shows the person as the directory has them now', async () => {
    const desk = await deskWithOlga();
    const { secret } = await begin(desk);
    await put(desk, { grants: ['agent_approve'] });
    expect(await desk.sessions.find(secret)).toMatchObject({ grants: ['agent_approve'] });
    await put(desk, { enabled: false });
    expect(await desk.sessions.find(secret)).toBeNull();
    expect(await desk.sessions.begin('olga', BY_LINK, 'c')).toBeNull();
  });

  it('is for people alone', async () => {
    const desk = await deskWithOlga();
    const { secret } = await begin(desk);
    await put(desk, { kind: 'service_account', scopes: ['agent:approve'] });
    expect(await desk.sessions.find(secret)).toBeNull();
    expect(await desk.sessions.begin('olga', BY_LINK, 'c')).toBeNull();
    expect(await desk.sessions.begin('nobody', BY_LINK, 'c')).toBeNull();
  });

  it('is worth no more than the token it began with', async () => {
    const desk = await deskWithOlga();
    const { clock } = desk.remains;
    const issue = async (tokenId: string, expiresAt: string | null) => {
      const { hash } = makeToken(new SystemEntropy(), 'olga', tokenId);
      await desk.execute(new IssueToken(ROOT, 'olga', { tokenId, name: null, hash, expiresAt }, 'c'));
      return begin(desk, { kind: 'token', tokenId });
    };
    const lasting = await issue('t1', null);
    const brief = await issue('t2', new Date(clock.nowMs + 60_000).toISOString());
    expect(await desk.sessions.find(brief.secret)).not.toBeNull();
    clock.nowMs += 60_000;
    expect(await desk.sessions.find(brief.secret)).toBeNull();
    expect(await desk.sessions.find(lasting.secret)).not.toBeNull();
    await desk.execute(new RevokeToken(ROOT, 'olga', 't1', 'c'));
    expect(await desk.sessions.find(lasting.secret)).toBeNull();
  });

  it('is over when the subject it began with is no longer theirs', async () => {
    const desk = await deskWithOlga({ oidcSubject: 's1' });
    const credential: SessionCredential = { kind: 'subject', hash: hashOfSubject('s1') };
    const { secret } = await begin(desk, credential);
    await put(desk, { oidcSubject: 's1', grants: ['agent_approve'] });
    expect(await desk.sessions.find(secret)).not.toBeNull();
    await put(desk, { oidcSubject: 's2' });
    expect(await desk.sessions.find(secret)).toBeNull();
    expect(await desk.sessions.begin('olga', credential, 'c')).toBeNull();
  });
});

describe('a sign-in link', () => {
  it('works once', async () => {
    const desk = await deskWithOlga();
    const secret = await desk.signInLinks.issue('olga');
    expect(await desk.signInLinks.use(secret, 'c')).toBe('olga');
    expect(await desk.signInLinks.use(secret, 'c')).toBeNull();
    expect(await new GovernanceDesk(desk.remains).signInLinks.use(secret, 'c')).toBeNull();
  });

  it('works for one of two who use it at the same time', async () => {
    const desk = await deskWithOlga();
    const secret = await desk.signInLinks.issue('olga');
    const desks = [desk, new GovernanceDesk(desk.remains), new GovernanceDesk(desk.remains)];
    const used = await Promise.all(desks.map(({ signInLinks }) => signInLinks.use(secret, 'c')));
    expect(used.filter((whose) => whose === 'olga')).toHaveLength(1);
  });

  it('works for a day', async () => {
    const desk = await deskWithOlga();
    const secret = await desk.signInLinks.issue('olga');
    desk.remains.clock.nowMs += LINK_LIFETIME_MS;
    expect(await desk.signInLinks.use(secret, 'c')).toBeNull();
  });

  it('is stored without what opens it, and guessed by nobody', async () => {
    const desk = await deskWithOlga();
    const secret = await desk.signInLinks.issue('olga');
    const stored = desk.remains.log.events.map(({ stream, data, metadata }) => stream + data + metadata).join();
    expect(stored).not.toContain(secret);
    for (const guess of ['', 'olga', 'B'.repeat(43), `${secret}A`])
      expect(await desk.signInLinks.use(guess, 'c')).toBeNull();
  });
});
