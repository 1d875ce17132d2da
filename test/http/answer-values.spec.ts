import type { JsonObject, JsonValue } from '../../src/events/json.js';
import type { ToolDeclaration } from '../../src/tools/tool.js';
import { ToolRegistry } from '../../src/tools/tool-registry.js';
import { Browser } from '../support/browser.js';
import { type GuardedExecution, observedTools } from '../support/guarded-tools.js';
import { ADMIN_TOKEN, HttpService } from './http-service.js';
import { RunTalk, type Script } from './run-talk.js';

/*
 * The way of a value from whoever answers to the tool: through the interface or the form, the event and the overlay it
 * stays what it was, and a name is only ever a name.
 */

const reading = { effect: 'read_only', dataClass: 'public', description: 'Asks.' } as const;

function asking(name: string, properties: JsonObject, more: JsonObject = {}): ToolDeclaration {
  const inputSchema = { type: 'object', properties, ...more };
  return { ...reading, name, parameters: { type: 'object' }, inputSchema };
}

const NAMES = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];

const FIELDS = {
  whole: { type: 'integer' },
  decimal: { type: 'number' },
  text: { type: 'string' },
  flag: { type: 'boolean' },
  maybe: { type: ['string', 'null'] },
  list: { type: 'array', items: { type: 'integer' } },
  optional: { type: 'string' },
};

const executed: GuardedExecution[] = [];
const tools = observedTools(
  [
    asking('take', { v: true }),
    asking('fill', FIELDS),
    asking('fill_whole', FIELDS, { required: ['maybe'] }),
    asking('constructor', Object.fromEntries(NAMES.map((name) => [name, { type: 'integer' }])), { required: NAMES }),
    { ...reading, name: '__proto__', parameters: { type: 'object' } },
    { ...reading, name: 'toString', effect: 'idempotent_write', parameters: { type: 'object' } },
  ],
  executed,
  new ToolRegistry(),
);

let service: HttpService;
let talk: RunTalk;
beforeAll(async () => {
  service = await HttpService.start({ tools });
  talk = new RunTalk(service);
});
afterAll(() => service.stop());
beforeEach(() => {
  executed.length = 0;
});

const asks = (toolName: string, given: object = {}) => [[{ callId: 'c1', toolName, arguments: given }], 'end'] as const;

/** What the tool is executed with when this is answered. */
async function executedWith(toolName: string, body: object, given: object = {}): Promise<JsonObject | undefined> {
  const id = await talk.paused(asks(toolName, given));
  expect((await talk.submit(id, body)).body).toMatchObject({ submission: 'accepted' });
  await service.work(id);
  return executed.at(-1)?.arguments;
}

describe('a value that is answered', () => {
  it.each<[JsonValue]>([
    [false],
    [true],
    [0],
    [''],
    [null],
    [[]],
    [{}],
    [1],
    [-1],
    [0.1],
    [1e-7],
    [1e21],
    [5e-324],
    [1.7976931348623157e308],
    [2 ** 53 - 1],
    [-(2 ** 53 - 1)],
    ['1'],
    ['007'],
    ['1e3'],
    ['null'],
    [' a\r\n\tb '],
    ['\u0000\u2028\u{1F468}\u200D\u{1F469}'],
    [[[], [null], [0, false, '']]],
    [{ a: { b: null, c: [] }, '': 0 }],
  ])('INP-4 reaches the tool as it was sent: %j', async (v) => {
    expect(await executedWith('take', { data: { v } })).toEqual({ v });
  });

  it('INP-6 is null where null was given, and absent where nothing was, whatever the model had written there', async () => {
    const model = { maybe: 'model', optional: 'model', text: 'model', of: 'model' };
    const given = await executedWith('fill', { data: { maybe: null, text: '' } }, model);
    expect(given).toStrictEqual({ of: 'model', maybe: null, text: '' });
    expect(await executedWith('fill', { data: {} }, model)).toStrictEqual({ of: 'model' });
  });

  it('INP-4 has through the form of the page the type that the schema says, and is exact', async () => {
    const browser = new Browser();
    const from = service.address;
    await browser.go(`${from}/inbox/sign-in`, { method: 'POST', from, fields: { token: ADMIN_TOKEN } });
    const id = await talk.paused(asks('fill_whole'));
    const fields = {
      turn: await talk.digest(id),
      intent: 'send',
      '/c1/whole': '9007199254740991',
      '/c1/decimal': '0.10',
      '/c1/text': '007',
      '/c1/flag': 'false',
      'none /c1/maybe': 'yes',
      'rows /c1/list': '2',
      '/c1/list/0': '0',
      '/c1/list/1': '-5',
    };
    const page = (await browser.go(`${from}/inbox/runs/${id}`)).text;
    const sent = await browser.go(`${from}/inbox/runs/${id}/answer`, {
      method: 'POST',
      from,
      fields: named(page, fields),
    });
    expect([sent.status, sent.location]).toEqual([303, `/inbox/runs/${id}?done=answered`]);
    await service.work(id);
    expect(executed.at(-1)?.arguments).toStrictEqual({
      whole: 9007199254740991,
      decimal: 0.1,
      text: '007',
      flag: false,
      maybe: null,
      list: [0, -5],
    });
    const rounded = await talk.paused(asks('fill_whole'));
    const inexact = { ...fields, turn: await talk.digest(rounded), '/c1/whole': '9007199254740993' };
    const refused = await browser.go(`${from}/inbox/runs/${rounded}/answer`, { method: 'POST', from, fields: inexact });
    expect([refused.status, refused.text.includes('9007199254740993')]).toEqual([422, true]);
    expect(await talk.read(rounded)).toMatchObject({ status: 'waiting_for_input' });
  });

  /** The fields, of which every control must have been on the page. */
  function named(page: string, fields: Record<string, string>): Record<string, string> {
    const missing = Object.keys(fields).filter((name) => !page.includes(`name="${name}"`) && !/list/.test(name));
    expect(missing).toEqual([]);
    return fields;
  }

  it('INP-3 is not kept where it is invalid, a hundred times over: nothing at all is stored of it', async () => {
    const id = await talk.paused(asks('fill'));
    const turnDigest = await talk.digest(id);
    const [run, events] = [await talk.read(id), service.log.events.length];
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const data = attempt % 2 === 0 ? { whole: `no ${attempt}` } : { list: 'no list' };
      const refused = await talk.submit(id, { turnDigest, data });
      expect([refused.status, refused.body.code]).toEqual([422, 'invalid-input']);
    }
    expect([await talk.read(id), service.log.events.length]).toEqual([run, events]);
    expect((await talk.submit(id, { turnDigest, data: { whole: 1 } })).body.submission).toBe('accepted');
  });
});

describe('names that every object inherits', () => {
  it('INP-6 LIF-3 are plain names of tools, calls, fields, records and keys', async () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
      for (const record of [`/snippets/${name}`, `/skills/${name}`]) {
        const missing = await service.call('GET', record);
        expect([record, missing.status]).toEqual([record, 404]);
        const put = await service.call('PUT', record, { body: { name, content: name, active: true } });
        expect([record, put.status]).toEqual([record, 201]);
        expect((await service.call('GET', record)).body).toMatchObject({ name, content: name });
      }
      expect((await service.call('GET', `/principals/${name}`)).status).toBe(404);
      expect((await service.call('GET', `/configurations/${name}`)).status).toBe(404);
    }
    const token = await service.principal('constructor', { kind: 'person', admin: true });
    const script: Script = [
      [
        { callId: '__proto__', toolName: 'constructor', arguments: { toString: 'model', other: 1 } },
        { callId: 'constructor', toolName: '__proto__', arguments: '{"__proto__":{"isAdmin":true},"a":1}' },
        { callId: 'hasOwnProperty', toolName: 'constructor', arguments: {} },
        { callId: 'toString', toolName: 'valueOf', arguments: {} },
      ],
      [{ callId: 'valueOf', toolName: 'toString', arguments: {} }],
      'end',
    ];
    const id = await talk.paused(script, token);
    const pause = await talk.pause(id);
    expect(
      pause.requests.map(({ callId, toolName }: { callId: string; toolName: string }) => [callId, toolName]),
    ).toEqual([
      ['__proto__', 'constructor'],
      ['hasOwnProperty', 'constructor'],
    ]);
    const values = (n: number) => JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, n])));
    const posted = (answers: string) => `{"turnDigest":"${pause.turnDigest}","answers":${answers}}`;
    const send = (answers: string) => service.call('POST', `/runs/${id}/input`, { body: posted(answers), token });
    expect((await send(`{"hasOwnProperty":${values(2)}}`)).body.errors).toMatchObject([{ callId: '__proto__' }]);
    const missing = await send(`{"__proto__":{},"hasOwnProperty":${values(2)}}`);
    expect(missing.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
      NAMES.map((name) => `/${name}`),
    );
    const accepted = await send(`{"__proto__":${values(1)},"hasOwnProperty":${values(2)}}`);
    expect(accepted.body).toMatchObject({ submission: 'accepted' });
    await service.work(id);
    const of = (n: number) => Object.fromEntries(NAMES.map((name) => [name, n]));
    expect(executed.map(({ callId, toolName, arguments: given }) => [callId, toolName, JSON.stringify(given)])).toEqual(
      [
        ['__proto__', 'constructor', JSON.stringify({ other: 1, ...of(1) })],
        ['constructor', '__proto__', '{"__proto__":{"isAdmin":true},"a":1}'],
        ['hasOwnProperty', 'constructor', JSON.stringify(of(2))],
      ],
    );
    expect(await talk.results(id)).toContainEqual(['toString', 'unknown_tool']);
    expect(await talk.read(id)).toMatchObject({ ownerId: 'constructor', status: 'waiting_for_approval' });
    expect((await talk.decide(id, true, undefined, token)).status).toBe(202);
    await service.work(id);
    expect(await talk.read(id)).toMatchObject({ status: 'completed', outcome: { content: 'end' } });
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});
