import { expectFaults, expectProblem } from './expect-problem.js';
import { HttpService } from './http-service.js';

let service: HttpService;
const printed: string[] = [];
beforeAll(async () => {
  service = await HttpService.start({ log: (line) => printed.push(line) });
});
afterAll(() => service.stop());

const MARKER = 'MARKER-of-source-text-2d07';
const ASKING = { kind: 'scripted', turns: [{ calls: [{ callId: 'c1', toolName: 'ask', arguments: {} }] }] };

let made = 0;
function freshId(): string {
  made += 1;
  return `source-${made}`;
}

const put = (path: string, body: object, headers = {}) => service.call('PUT', path, { body, headers });

describe.each(['snippets', 'skills'])('%s', (kind) => {
  const whole = { name: 'House rules', content: 'Be brief.', dataClass: 'internal', active: true };

  it('read as they were put, and can be put back as they were read', async () => {
    const path = `/${kind}/${freshId()}`;
    const created = await put(path, whole);
    expect([created.status, created.body]).toEqual([201, whole]);
    const read = await service.call('GET', path);
    expect([read.status, read.body]).toEqual([200, whole]);
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
    const again = await put(path, read.body);
    expect([again.status, again.headers.get('etag')]).toEqual([200, created.headers.get('etag')]);
    const { dataClass: _none, ...unclassified } = whole;
    expect((await put(path, unclassified)).body).toEqual(unclassified);
  });

  it('let one of two editors of the same version win', async () => {
    const path = `/${kind}/${freshId()}`;
    const etag = (await put(path, whole)).headers.get('etag') ?? '';
    expectFaults(await put(path, whole, { 'if-none-match': '*', 'if-match': '*' }), '');
    expect((await put(path, { ...whole, content: 'mine' }, { 'if-match': etag })).status).toBe(200);
    expectProblem(await put(path, { ...whole, content: 'theirs' }, { 'if-match': etag }), 'precondition-failed');
    expectProblem(await put(path, { ...whole, content: 'new' }, { 'if-none-match': '*' }), 'precondition-failed');
    expectProblem(await service.call('DELETE', path, { headers: { 'if-match': etag } }), 'precondition-failed');
    expect((await service.call('GET', path)).body.content).toBe('mine');
  });

  it('are gone once they were deleted, and can be made again', async () => {
    const path = `/${kind}/${freshId()}`;
    expectProblem(await service.call('GET', path), 'source-not-found');
    expectProblem(await service.call('DELETE', path), 'source-not-found');
    await put(path, whole);
    expect((await service.call('DELETE', path)).status).toBe(204);
    expect((await service.call('DELETE', path)).status).toBe(204);
    expectProblem(await service.call('GET', path), 'source-not-found');
    expect((await put(path, whole)).status).toBe(201);
  });

  it.each<[string, object, string[]]>([
    ['nothing', {}, ['/name', '/content', '/active']],
    ['an empty text', { ...whole, content: ' \n' }, ['/content']],
    ['a text that is too long', { ...whole, content: 'x'.repeat(65_537) }, ['/content']],
    ['a class that nobody knows', { ...whole, dataClass: 'top_secret' }, ['/dataClass']],
    ['no class in so many words', { ...whole, dataClass: null }, ['/dataClass']],
    ['an activity in words', { ...whole, active: 'yes' }, ['/active']],
    ['an unknown property', { ...whole, secret: true }, ['/secret']],
  ])('are refused with %s', async (_what, body, pointers) => {
    expectFaults(await put(`/${kind}/${freshId()}`, body), ...pointers);
  });
});

describe('the enforcement of data classes', () => {
  const path = '/policies/data-class-enforcement';

  it('SRC-7 is on until an operator says observe, and has no third value', async () => {
    const before = await service.call('GET', path);
    expect([before.status, before.body, before.headers.get('etag')]).toEqual([200, { mode: 'enforce' }, null]);
    for (const mode of ['off', 'Observe', '', null, true]) expectFaults(await put(path, { mode }), '/mode');
    const observed = await put(path, { mode: 'observe' }, { 'if-none-match': '*' });
    expect([observed.status, observed.body]).toEqual([200, { mode: 'observe' }]);
    expectProblem(await put(path, { mode: 'enforce' }, { 'if-match': '"7"' }), 'precondition-failed');
    const etag = (await service.call('GET', path)).headers.get('etag') ?? '';
    expect((await put(path, { mode: 'enforce' }, { 'if-match': etag })).body).toEqual({ mode: 'enforce' });
  });
});

describe('what a configuration means', () => {
  it('is read out with reasons: providers, tools for whom, sources that bind', async () => {
    const [strict, mild, off] = [freshId(), freshId(), freshId()];
    await put(`/snippets/${strict}`, { name: 'n', content: MARKER, dataClass: 'diagnostics', active: true });
    await put(`/skills/${mild}`, { name: 'n', content: MARKER, dataClass: 'public', active: true });
    await put(`/snippets/${off}`, { name: 'n', content: MARKER, dataClass: 'secret_adjacent', active: false });
    const id = freshId();
    await put(`/configurations/${id}`, {
      provider: ASKING,
      trustZone: 'local',
      fallbacks: [{ provider: ASKING, trustZone: 'external_eu' }],
      allowedTools: ['look', 'ask'],
      snippetIds: [strict, off, 'never-made'],
      skillIds: [mild],
    });
    await put('/tools/look', { enabled: false });
    const disabled = freshId();
    await put(`/principals/${disabled}`, { kind: 'person', enabled: false });
    const { status, body } = await service.call('GET', `/configurations/${id}/policy?principalId=${disabled}`);
    await put('/tools/look', { enabled: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ceiling: { zone: 'external_eu', dataClass: 'configuration', enforcement: 'enforce' },
      chain: [
        { kind: 'scripted', trustZone: 'local' },
        { kind: 'scripted', trustZone: 'external_eu' },
      ],
      sources: [
        { source: `snippet:${strict}`, dataClass: 'diagnostics', binds: true, reason: 'above_ceiling' },
        { source: `snippet:${off}`, dataClass: 'secret_adjacent', binds: false, reason: 'inactive' },
        { source: 'snippet:never-made', dataClass: null, binds: false, reason: 'not_found' },
        { source: `skill:${mild}`, dataClass: 'public', binds: true, reason: 'less_strict' },
      ],
      context: {
        verdict: 'blocked',
        over: { source: `snippet:${strict}`, dataClass: 'diagnostics', zone: 'external_eu' },
      },
    });
    const tools = Object.fromEntries(body.tools.map((tool: { name: string }) => [tool.name, tool]));
    const no = (reason: string) => ({ offered: false, reason });
    expect(tools.ask).toMatchObject({
      people: { offered: true },
      administrators: { offered: true },
      principal: no('principal_disabled'),
    });
    expect(tools.look).toMatchObject({ people: no('tool_disabled'), administrators: no('tool_disabled') });
    expect(tools.refund).toMatchObject({ people: no('not_allowed_by_configuration') });
    const without = await service.call('GET', `/configurations/${id}/policy`);
    expect(without.body.tools[0]).not.toHaveProperty('principal');
    expect(without.text).not.toContain(MARKER);
    expectProblem(await service.call('GET', `/configurations/${freshId()}/policy`), 'configuration-not-found');
  });
});

describe('a refusal of the ceiling', () => {
  it('SRC-2 names source, class and zone in a sentence, and never the text', async () => {
    const id = freshId();
    await put(`/snippets/${id}`, { name: MARKER, content: MARKER, dataClass: 'secret_adjacent', active: true });
    const configuration = { provider: ASKING, trustZone: 'local', snippetIds: [id] };
    await put(`/configurations/${id}`, configuration);
    const start = () => service.call('POST', '/runs', { body: { configurationId: id, input: 'hi' } });
    const run = (await start()).body.id;
    await service.work(run);
    const { turnDigest } = (await service.call('GET', `/runs/${run}/pause`)).body;
    const answer = () => service.call('POST', `/runs/${run}/input`, { body: { turnDigest, data: { amount: 3 } } });

    await put(`/configurations/${id}`, { ...configuration, trustZone: 'external_global' });
    for (const refused of [await answer(), await start()]) {
      expect([refused.status, refused.body.code]).toEqual([409, 'context-blocked']);
      expect(refused.body).toMatchObject({
        source: `snippet:${id}`,
        dataClass: 'secret_adjacent',
        zone: 'external_global',
        detail: `The source snippet:${id} is secret_adjacent, which is too sensitive for the zone external_global that the run can reach.`,
      });
      expect(refused.text).not.toContain(MARKER);
    }
    await put(`/configurations/${id}`, configuration);
    expect((await answer()).body).toMatchObject({ submission: 'accepted' });

    // Handed back at the claim, the run says why, to whoever looks at it.
    await put(`/configurations/${id}`, { provider: ASKING, snippetIds: [id] });
    expect(await service.work(run).catch((error: Error) => error.message)).toBe('the run was released');
    const { body: handedBack, text } = await service.call('GET', `/runs/${run}`, { headers: { prefer: 'wait=5' } });
    expect(handedBack.pause.released).toMatchObject({
      reason: 'context_blocked',
      sourceId: `snippet:${id}`,
      dataClass: 'secret_adjacent',
      zone: 'external_global',
    });
    const timeline = await service.call('GET', `/runs/${run}/events`);
    for (const said of [text, timeline.text, printed.join('')]) expect(said).not.toContain(MARKER);
    await put(`/configurations/${id}`, configuration);
    expect((await answer()).body).toMatchObject({ submission: 'accepted' });
    await service.work(run);
    expect((await service.call('GET', `/runs/${run}/events`)).text).toContain('RunCompleted');
  });

  it('a prompt that its sources make too large is refused before the run exists', async () => {
    const ids = Array.from({ length: 6 }, () => freshId());
    for (const id of ids) await put(`/skills/${id}`, { name: 'n', content: 'x'.repeat(65_000), active: true });
    const id = freshId();
    await put(`/configurations/${id}`, { provider: ASKING, trustZone: 'local', skillIds: ids });
    const refused = await service.call('POST', '/runs', { body: { configurationId: id, input: 'hi' } });
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      413,
      'payload-too-large',
      'The prompt of a run has, with its sources, at most 360 KiB.',
    ]);
    await put(`/configurations/${id}`, { provider: ASKING, trustZone: 'local', skillIds: ids.slice(0, 5) });
    const started = await service.call('POST', '/runs', { body: { configurationId: id, input: 'hi' } });
    expect(started.status).toBe(202);
  });
});
