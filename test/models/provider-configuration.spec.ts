import fc from 'fast-check';
import { checkProvider } from '../../src/models/provider-configuration.js';

const OPENAI = { kind: 'openai-compatible', baseUrl: 'https://models.example/v1', model: 'm-1' };

function faultsOf(value: unknown) {
  const check = checkProvider(value);
  return check.ok ? [] : check.faults;
}

function pointersOf(value: unknown): string[] {
  return faultsOf(value).map((fault) => fault.pointer);
}

function scriptOf(turn: unknown) {
  return { kind: 'scripted', turns: [turn] };
}

describe('the check of a provider', () => {
  it('accepts a script with every member and gives it back unchanged', () => {
    const provider = {
      kind: 'scripted',
      turns: [
        { text: 'a', calls: [{ callId: 'c', toolName: 't', arguments: { deep: [1, null, { x: true }] } }], delayMs: 5 },
        { calls: [{ toolName: '', arguments: '{not json' }] },
        { error: { status: 503 } },
        {},
      ],
    };
    expect(checkProvider(provider)).toEqual({ ok: true, provider });
  });

  it('accepts an OpenAI-compatible server with and without its optional members', () => {
    const full = { ...OPENAI, apiKeyEnv: 'HOLDPOINT_PROVIDER_KEY_MAIN', timeoutMs: 30_000 };
    expect(checkProvider(full)).toEqual({ ok: true, provider: full });
    expect(checkProvider(OPENAI)).toEqual({ ok: true, provider: OPENAI });
  });

  it.each([null, undefined, 'scripted', 1, []])('refuses %p, which is no object', (value) => {
    expect(faultsOf(value)).toEqual([{ pointer: '', message: 'must be an object' }]);
  });

  it.each(['constructor', '__proto__', 'toString', 'other', 7, null, undefined])('refuses the kind %p', (kind) => {
    const message = 'must be one of scripted, openai-compatible, openai, anthropic';
    expect(faultsOf({ kind })).toEqual([{ pointer: '/kind', message }]);
  });

  it('names every unknown property where it stands', () => {
    expect(pointersOf({ ...OPENAI, apiKey: 'k', 'a/b~c': 1 })).toEqual(['/apiKey', '/a~1b~0c']);
    expect(pointersOf(scriptOf({ calls: [{ toolName: 't', arguments: {}, extra: 1 }] }))).toEqual([
      '/turns/0/calls/0/extra',
    ]);
  });

  it.each([
    ['ftp://models.example', 'must begin with http:// or https://'],
    ['models.example/v1', 'must be an absolute URL'],
    ['http://models.example /v1', 'must be an absolute URL'],
    ['http://user@models.example', 'must not carry user info'],
    ['http://user:secret@models.example', 'must not carry user info'],
    ['http://:secret@models.example', 'must not carry user info'],
    ['http://models.example/v1?', 'must have neither query nor fragment'],
    ['http://models.example/v1#a', 'must have neither query nor fragment'],
  ])('refuses the base URL %p', (baseUrl, message) => {
    expect(faultsOf({ ...OPENAI, baseUrl })).toEqual([{ pointer: '/baseUrl', message }]);
  });

  it.each([
    'PATH',
    'HOLDPOINT_MASTER_KEY',
    'HOLDPOINT_PROVIDER_KEY_',
    'XHOLDPOINT_PROVIDER_KEY_A',
    'HOLDPOINT_PROVIDER_KEY_A\n',
  ])('refuses %p as the name of a key', (apiKeyEnv) => {
    expect(pointersOf({ ...OPENAI, apiKeyEnv })).toEqual(['/apiKeyEnv']);
  });

  it.each([
    ['/turns', { kind: 'scripted' }],
    ['/turns', { kind: 'scripted', turns: Array(201).fill({}) }],
    ['/turns/0/delayMs', scriptOf({ delayMs: 600_001 })],
    ['/turns/0/delayMs', scriptOf({ delayMs: -1 })],
    ['/turns/0/delayMs', scriptOf({ delayMs: 1.5 })],
    ['/turns/0/text', scriptOf({ text: 'x'.repeat(65_537) })],
    ['/turns/0/error/status', scriptOf({ error: { status: 200 } })],
    ['/turns/0/calls', scriptOf({ calls: Array(33).fill({ toolName: 't', arguments: {} }) })],
    ['/turns/0/calls/0/arguments', scriptOf({ calls: [{ toolName: 't' }] })],
    ['/turns/0/calls/0/arguments', scriptOf({ calls: [{ toolName: 't', arguments: [1] }] })],
    ['/turns/0/calls/0/arguments', scriptOf({ calls: [{ toolName: 't', arguments: { a: 1n } }] })],
    ['/turns/0/calls/0/arguments', scriptOf({ calls: [{ toolName: 't', arguments: { a: 'x'.repeat(65_536) } }] })],
    ['/model', { ...OPENAI, model: '' }],
    ['/timeoutMs', { ...OPENAI, timeoutMs: 99 }],
    ['/timeoutMs', { ...OPENAI, timeoutMs: 1_800_001 }],
  ])('bounds %s', (pointer, value) => {
    expect(pointersOf(value)).toEqual([pointer]);
  });

  it('refuses arguments that are nested deeper than any stack, without falling over', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
    expect(pointersOf(scriptOf({ calls: [{ toolName: 't', arguments: deep }] }))).toEqual([
      '/turns/0/calls/0/arguments',
    ]);
  });

  it('keeps arguments whose names are those of prototypes', () => {
    const provider = JSON.parse(
      '{"kind":"scripted","turns":[{"calls":[{"toolName":"t","arguments":{"__proto__":{"a":1},"constructor":{"prototype":2}}}]}]}',
    );
    const check = checkProvider(provider);
    expect(JSON.stringify(check.ok && check.provider)).toBe(JSON.stringify(provider));
  });

  it('lists at most 50 faults', () => {
    expect(faultsOf(scriptOf(Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`k${n}`, n]))))).toHaveLength(50);
  });

  it('never repeats a value in a message', () => {
    const marker = 'MARKER-7f3a';
    const marked = fc.oneof(fc.constant(marker), fc.constant({ a: marker }), fc.constant([marker]));
    const member = fc.option(fc.oneof(marked, fc.jsonValue()), { nil: undefined });
    const turn = fc.record({ text: member, calls: fc.oneof(member, fc.array(member)), delayMs: member, error: member });
    const provider = fc.oneof(
      fc.record({ kind: fc.constant('scripted'), turns: fc.oneof(member, fc.array(fc.oneof(turn, member))) }),
      fc.record({
        kind: fc.oneof(fc.constant('openai-compatible'), marked),
        baseUrl: fc.oneof(member, fc.constant(`http://${marker}@host`), fc.constant(`${marker}://host`)),
        model: member,
        apiKeyEnv: member,
        timeoutMs: member,
      }),
    );
    fc.assert(
      fc.property(provider, (value) => {
        expect(JSON.stringify(faultsOf(value).map((fault) => fault.message))).not.toContain(marker);
      }),
    );
  });
});
