import { expectFaults, expectProblem } from './expect-problem.js';
import { ADMIN_TOKEN, HttpService } from './http-service.js';

let service: HttpService;
beforeAll(async () => {
  service = await HttpService.start();
  await service.call('PUT', '/configurations/demo', { body: { provider: { kind: 'scripted', turns: [] } } });
});
afterAll(() => service.stop());

function start(body: unknown, headers: Record<string, string> = {}) {
  return service.call('POST', '/runs', { body, headers });
}

const whole = { configurationId: 'demo', input: 'hello' };

describe('INP-4 a body is I-JSON', () => {
  it.each([
    ['is no JSON', '{"configurationId": demo}', '', 'is not JSON'],
    ['has a comment', '{"configurationId": "demo" /* mine */}', '', 'is not JSON'],
    ['has a trailing comma', '{"configurationId": "demo",}', '', 'is not JSON'],
    ['has a name twice', '{"input":"a","options":{"seed":1,"seed":1}}', '/options/seed', 'occurs twice'],
    ['has a name twice, differently written', '{"input":"a","\\u0069nput":"b"}', '/input', 'occurs twice'],
    ['has half a surrogate pair', '{"input":"\\ud83d"}', '/input', 'surrogate'],
    [
      'has an integer that not every reader sees alike',
      '{"options":{"seed":9007199254740993}}',
      '/options/seed',
      '2^53-1',
    ],
    ['is nested too deeply', `${'{"input":'.repeat(300)}1${'}'.repeat(300)}`, '', 'nested'],
  ])('one that %s is refused, naming the fault', async (_what, body, pointer, message) => {
    const answer = await start(body);
    expectFaults(answer, pointer);
    expect(answer.body.errors[0].message).toContain(message);
  });

  it('one that is not UTF-8 is refused', async () => {
    const bytes = Buffer.concat([Buffer.from('{"input":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    const answer = await start(bytes);
    expectFaults(answer, '');
    expect(answer.body.errors[0].message).toBe('is not UTF-8');
  });

  it.each(['null', '[]', '"text"', '1', ''])('one that is no object is refused: %s', async (body) => {
    expectFaults(await start(body), '');
  });

  it('nothing that was sent comes back in a fault', async () => {
    for (const body of ['{"secret-word": secret-word}', { ...whole, maxIterations: 'secret-word' }]) {
      expect((await start(body)).text).not.toContain('secret-word');
    }
  });
});

describe('a body of the wrong kind', () => {
  it('is refused over 256 KiB, and taken just below', async () => {
    const fill = (bytes: number) =>
      JSON.stringify({ ...whole, input: 'x'.repeat(bytes - JSON.stringify({ ...whole, input: '' }).length) });
    expectProblem(await start(fill(256 * 1024 + 1)), 'payload-too-large');
    expect((await start(fill(256 * 1024))).status).toBe(202);
  });

  it('is refused over 256 KiB also where its length is not announced', async () => {
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    const body = new ReadableStream({
      start(stream) {
        for (let count = 0; count < 5; count += 1) stream.enqueue(chunk);
        stream.close();
      },
    });
    const streamed: object = { duplex: 'half' };
    const response = await fetch(`${service.address}/api/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body,
      ...streamed,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'payload-too-large' });
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/merge-patch+json',
  ])('is refused as %s', async (type) => {
    expectProblem(await start('{}', { 'content-type': type }), 'unsupported-media-type');
  });

  it('is taken with parameters in its content type', async () => {
    expect((await start(whole, { 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(202);
  });
});

describe('the form of a body', () => {
  it.each<[string, object, string[]]>([
    ['no configuration', { input: 'a' }, ['/configurationId']],
    ['a configuration that cannot be', { ...whole, configurationId: 'a b' }, ['/configurationId']],
    ['an unknown property', { ...whole, colour: 'red' }, ['/colour']],
    ['an unknown property within', { ...whole, options: { colour: 'red' } }, ['/options/colour']],
    [
      'an unknown property in a list',
      { configurationId: 'demo', messages: [{ role: 'user', content: '', x: 1 }] },
      ['/messages/0/x'],
    ],
    ['neither input nor messages', { configurationId: 'demo' }, ['']],
    ['input and messages', { ...whole, messages: [{ role: 'user', content: 'a' }] }, ['']],
    ['no messages at all', { configurationId: 'demo', messages: [] }, ['/messages']],
    ['messages that are no list', { configurationId: 'demo', messages: { 0: {} } }, ['/messages']],
    [
      'a message that is a list',
      { configurationId: 'demo', messages: [[{ role: 'user', content: 'a' }]] },
      ['/messages'],
    ],
    ['a message that is null', { configurationId: 'demo', messages: [null] }, ['/messages']],
    [
      'a role that is none',
      { configurationId: 'demo', messages: [{ role: 'tool', content: 'a' }] },
      ['/messages/0/role'],
    ],
    [
      'content that is no text',
      { configurationId: 'demo', messages: [{ role: 'user', content: 1 }] },
      ['/messages/0/content'],
    ],
    ['null for an allow-list', { ...whole, allowedTools: null }, ['/allowedTools']],
    ['a tool that cannot be', { ...whole, allowedTools: ['look', 'a b'] }, ['/allowedTools']],
    ['a number as text', { ...whole, maxIterations: '5' }, ['/maxIterations']],
    ['no iteration', { ...whole, maxIterations: 0 }, ['/maxIterations']],
    ['half an iteration', { ...whole, maxIterations: 1.5 }, ['/maxIterations']],
    ['options that are a list', { ...whole, options: [] }, ['/options']],
    ['an option out of range', { ...whole, options: { topP: 1.1 } }, ['/options/topP']],
  ])('is refused with %s', async (_what, body, pointers) => {
    expect((await start(body)).body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
      expect.arrayContaining(pointers),
    );
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'])(
    'knows no property %s, at its root or within',
    async (name) => {
      const member = `${JSON.stringify(name)}:{"admin":true}`;
      expectFaults(await start(`{"configurationId":"demo","input":"a",${member}}`), `/${name}`);
      expectFaults(await start(`{"configurationId":"demo","input":"a","options":{${member}}}`), `/options/${name}`);
    },
  );

  it('a tool that is not registered is named by its place', async () => {
    expectFaults(
      await start({ ...whole, allowedTools: ['look', 'constructor', 'ask', 'nothing'] }),
      '/allowedTools/1',
      '/allowedTools/3',
    );
  });

  it('is that of an address too: what is asked for there is checked', async () => {
    for (const [query, pointer] of [
      ['colour=red', '/colour'],
      ['status=asleep', '/status'],
      ['limit=0', '/limit'],
      ['limit=201', '/limit'],
      ['limit=ten', '/limit'],
      ['cursor=!', '/cursor'],
      ['cursor=abc', '/cursor'],
      ['ownerId=a&ownerId=b', '/ownerId'],
      ['__proto__=1', '/__proto__'],
    ] as const) {
      expectFaults(await service.call('GET', `/runs?${query}`), pointer);
    }
    expect((await service.call('GET', '/runs?status=&ownerId=&configurationId=')).status).toBe(200);
  });

  it('is told by the first rule that is broken, each saying what would fit', async () => {
    const run = (await start(whole)).body.id;
    const fault = async (path: string, body?: object) => {
      const answer = await service.call(body === undefined ? 'GET' : 'POST', path, body === undefined ? {} : { body });
      return answer.body.errors.map(({ message }: { message: string }) => message);
    };
    for (const limit of ['0', '201', '99999', 'ten']) {
      expect(await fault(`/runs?limit=${limit}`)).toEqual(['must be a whole number from 1 to 200']);
    }
    const finding = { callId: 'c1', verdict: 'not_executed' };
    expect(await fault(`/runs/${run}/resolution`, finding)).toEqual(['must be a string']);
    expect(await fault(`/runs/${run}/resolution`, { ...finding, note: ' ' })).toEqual(['must not be empty']);
    expect(await fault(`/runs/${run}/resolution`, { ...finding, note: 'n'.repeat(4_001) })).toEqual([
      'must have at most 4000 characters',
    ]);
    expect(await fault(`/runs/${run}/approval`, { approved: true, comment: 7 })).toEqual(['must be a string']);
  });

  it('a call that takes no body takes none, or an empty object', async () => {
    const run = (await start(whole)).body.id;
    expectFaults(await service.call('POST', `/runs/${run}/cancel`, { body: { why: 'x' } }), '/why');
    expectFaults(await service.call('POST', `/runs/${run}/cancel`, { body: '[]' }), '');
    expect((await service.call('POST', `/runs/${run}/cancel`, { body: {} })).status).toBe(202);
  });
});

describe('what a rule judges reaches the rule as it was sent', () => {
  const names = '"__proto__":{"x":1},"constructor":2,"prototype":3,"toString":null,"hasOwnProperty":[4]';

  it('arguments of a scripted call, names of prototypes included', async () => {
    const turns = `[{"calls":[{"toolName":"constructor","arguments":{${names}}}]}]`;
    const body = `{"provider":{"kind":"scripted","turns":${turns}}}`;
    expect((await service.call('PUT', '/configurations/odd', { body })).status).toBe(201);
    const kept = await service.call('GET', '/configurations/odd');
    expect(kept.text).toContain(`"arguments":{${names}}`);
  });

  it('values of a submission: what the schema does not declare is named, not dropped on the way', async () => {
    const turns = [{ calls: [{ callId: 'c1', toolName: 'ask', arguments: {} }] }];
    await service.call('PUT', '/configurations/asking', { body: { provider: { kind: 'scripted', turns } } });
    const { id } = (await start({ ...whole, configurationId: 'asking' })).body;
    await service.work(id);
    const { turnDigest } = (await service.call('GET', `/runs/${id}/pause`)).body;
    const answer = await service.call('POST', `/runs/${id}/input`, {
      body: `{"turnDigest":"${turnDigest}","answers":{"c1":{"amount":1,${names}}}}`,
    });
    expect(answer.status).toBe(202);
    expect(answer.body.ignoredKeys).toEqual([
      '/c1/__proto__',
      '/c1/constructor',
      '/c1/prototype',
      '/c1/toString',
      '/c1/hasOwnProperty',
    ]);
  });

  it.each(['', 'null', '1', '[]', '{}', `"${'A'.repeat(64)}"`])(
    'TRN-3 a digest is judged by the rule, whatever it is: %s is a stale turn',
    async (digest) => {
      const turns = [{ calls: [{ callId: 'c1', toolName: 'ask', arguments: {} }] }];
      await service.call('PUT', '/configurations/asking', { body: { provider: { kind: 'scripted', turns } } });
      const { id } = (await start({ ...whole, configurationId: 'asking' })).body;
      await service.work(id);
      const named = digest === '' ? '' : `"turnDigest":${digest},`;
      const answer = await service.call('POST', `/runs/${id}/input`, { body: `{${named}"data":{"amount":1}}` });
      const { pause } = (await service.call('GET', `/runs/${id}`)).body;
      expectProblem(answer, 'stale-turn', { pause });
    },
  );

  it('needs values in one of the two forms', async () => {
    for (const body of [{ turnDigest: 'x' }, { turnDigest: 'x', data: {}, answers: {} }]) {
      expectFaults(await service.call('POST', '/runs/any/input', { body }), '');
    }
    expectFaults(await service.call('POST', '/runs/any/input', { body: { data: {}, colour: 1 } }), '/colour');
  });
});
