import { expectFaults } from './expect-problem.js';
import { HttpService } from './http-service.js';

let service: HttpService;
beforeAll(async () => {
  service = await HttpService.start();
  for (const id of ['one', 'two', 'three']) {
    await service.call('PUT', `/configurations/${id}`, {
      body: {
        provider: { kind: 'openai-compatible', baseUrl: 'http://model.example/v1', model: `model-${id}` },
        trustZone: 'local',
        systemPrompt: 'MARKER-prompt',
        snippetIds: id === 'three' ? [] : ['rules'],
      },
    });
  }
  await service.call('PUT', '/snippets/rules', {
    body: { name: 'House rules', content: 'MARKER-text', dataClass: 'internal', active: true },
  });
  await service.call('PUT', '/skills/tone', { body: { name: 'Tone', content: 'MARKER-text', active: false } });
});
afterAll(() => service.stop());

describe('the lists of governance records', () => {
  it('tell of each record what decides, and nothing of prompts and texts', async () => {
    const configurations = await service.call('GET', '/configurations');
    expect(configurations.body).toEqual({
      items: ['one', 'three', 'two'].map((id) => ({
        id,
        updatedAt: expect.stringMatching(/^\d{4}-.+Z$/),
        provider: { kind: 'openai-compatible', baseUrl: 'http://model.example/v1', model: `model-${id}` },
        trustZone: 'local',
        fallbacks: [],
        allowedTools: null,
        snippetIds: id === 'three' ? [] : ['rules'],
        skillIds: [],
        requireSecondApprover: false,
      })),
      nextCursor: null,
    });
    const snippets = await service.call('GET', '/snippets');
    expect(snippets.body.items).toEqual([
      { id: 'rules', updatedAt: expect.any(String), name: 'House rules', dataClass: 'internal', active: true },
    ]);
    const skills = await service.call('GET', '/skills');
    expect(skills.body.items).toEqual([
      { id: 'tone', updatedAt: expect.any(String), name: 'Tone', dataClass: null, active: false },
    ]);
    for (const { text } of [configurations, snippets, skills]) expect(text).not.toContain('MARKER');
  });

  it('tell who is in the directory, and when their tokens were last used', async () => {
    const token = await service.principal('olga', { kind: 'person', grants: ['agent_approve'] });
    const olga = async () => {
      const { items } = (await service.call('GET', '/principals')).body;
      return items.find(({ id }: { id: string }) => id === 'olga');
    };
    expect(await olga()).toEqual({
      id: 'olga',
      updatedAt: expect.any(String),
      kind: 'person',
      enabled: true,
      admin: false,
      grants: ['agent_approve'],
      scopes: [],
      oidcSubject: null,
      tokensLastUsedAt: null,
    });
    await service.call('GET', '/me', { token });
    expect((await olga()).tokensLastUsedAt).toMatch(/^\d{4}-.+Z$/);
  });

  it('come in pages, and those of configurations by the source that they name', async () => {
    const ids = async (query: string) => {
      const { items, nextCursor } = (await service.call('GET', `/configurations?${query}`)).body;
      return { ids: items.map(({ id }: { id: string }) => id), nextCursor };
    };
    const first = await ids('limit=2');
    expect(first.ids).toEqual(['one', 'three']);
    expect(await ids(`limit=2&cursor=${first.nextCursor}`)).toEqual({ ids: ['two'], nextCursor: null });
    expect((await ids('source=snippet:rules')).ids).toEqual(['one', 'two']);
    expect((await ids('source=skill:rules')).ids).toEqual([]);
    expectFaults(await service.call('GET', '/configurations?source=rules'), '/source');
    expectFaults(await service.call('GET', `/snippets?cursor=${first.nextCursor}`), '/cursor');
    expectFaults(await service.call('GET', '/principals?limit=201'), '/limit');
    expectFaults(await service.call('GET', '/skills?source=skill:tone'), '/source');
  });

  it('show a record as soon as it was put, and not once it was deleted', async () => {
    const ids = async () => (await service.call('GET', '/skills')).body.items.map(({ id }: { id: string }) => id);
    await service.call('PUT', '/skills/brief', { body: { name: 'Brief', content: 'Be brief.', active: true } });
    expect(await ids()).toEqual(['brief', 'tone']);
    await service.call('DELETE', '/skills/brief');
    expect(await ids()).toEqual(['tone']);
  });
});
