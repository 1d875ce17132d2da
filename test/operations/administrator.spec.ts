import { join } from 'node:path';
import { holdpoint } from '../support/holdpoint-tool.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { Service } from '../support/service.js';

jest.setTimeout(60_000);

const PERSON = { kind: 'person', enabled: true };

describe('letting an administrator in by the operator’s tool', () => {
  const folder = scratchFolder();
  const dataDir = join(folder.path, 'data');
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({ dataDir });
  });
  afterAll(async () => {
    await service.stop();
    folder.remove();
  });

  const tool = (id: string) => holdpoint(dataDir, ['administrator', id]);
  const me = async (token: string) => (await service.request('GET', '/api/v1/me', { token })).body;

  it('makes a new one beside a service that runs, for a day, and the audit names the operator', async () => {
    const { code, report, out, err } = await tool('rescue');
    expect({ code, err, report }).toMatchObject({ code: 0, err: '', report: { principalId: 'rescue', changed: true } });
    expect(out.split(report.token)).toHaveLength(2);
    const left = Date.parse(report.expiresAt) - Date.now();
    expect(left).toBeGreaterThan(86_000_000);
    expect(left).toBeLessThanOrEqual(86_400_000);
    expect(await me(report.token)).toMatchObject({ id: 'rescue', admin: true, enabled: true });
    const { body: audit } = await service.request('GET', '/api/v1/audit?actorId=operator', { token: report.token });
    expect(audit.items).toMatchObject([
      { kind: 'TokenIssued', actor: { kind: 'system', id: 'operator' }, subject: { kind: 'principal', id: 'rescue' } },
      { kind: 'PrincipalPut', subject: { id: 'rescue' } },
    ]);
    expect(JSON.stringify(audit)).not.toContain(report.token);
  });

  it('lets those in again who were disabled or lost their token, and keeps the rest of their record', async () => {
    const document = { ...PERSON, enabled: false, grants: ['agent_approve'], oidcSubject: 'olga-at-the-issuer' };
    await service.call('PUT', '/principals/olga', document);
    const again = await tool('olga');
    expect(again).toMatchObject({ code: 0, report: { changed: true } });
    const kept = { id: 'olga', admin: true, enabled: true, grants: ['agent_approve'] };
    expect(await me(again.report.token)).toMatchObject(kept);
    expect((await service.call('GET', '/principals/olga')).body.oidcSubject).toBe('olga-at-the-issuer');
    const lost = await tool('olga');
    expect(lost).toMatchObject({ code: 0, report: { changed: false } });
    expect(await me(lost.report.token)).toMatchObject(kept);
  });

  it('refuses service accounts, ids that cannot be, and folders without a log, and changes nothing then', async () => {
    await service.call('PUT', '/principals/robot', { kind: 'service_account', enabled: true, scopes: ['agent:read'] });
    const before = (await service.call('GET', '/principals/robot')).headers.get('etag');
    expect(await tool('robot')).toMatchObject({ code: 3, err: expect.stringContaining('is a service account') });
    expect((await service.call('GET', '/principals/robot')).headers.get('etag')).toBe(before);
    expect(await tool('../olga')).toMatchObject({ code: 2 });
    expect(await holdpoint(join(folder.path, 'nothing'), ['administrator', 'olga'])).toMatchObject({ code: 3 });
  });
});
