import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { JsonObject } from '../../src/events/json.js';
import { canonicalTurn, type SeenTurn, sameDigest, turnDigest } from '../../src/run/turn-digest.js';

const TURN: SeenTurn = {
  kind: 'input',
  nonce: '00112233445566778899aabbccddeeff',
  calls: [
    { callId: 'call_1', toolName: 'ask', arguments: { b: 1, a: [true, null, 'é'] } },
    { callId: 'call_2', toolName: 'read', arguments: 'not json' },
  ],
  requests: [{ callId: 'call_1', toolName: 'ask', inputSchema: { type: 'object', properties: { x: {} } } }],
};

const CANONICAL =
  '{"calls":[{"arguments":{"a":[true,null,"é"],"b":1},"callId":"call_1","toolName":"ask"},' +
  '{"arguments":"not json","callId":"call_2","toolName":"read"}],"kind":"input",' +
  '"nonce":"00112233445566778899aabbccddeeff","requests":[{"callId":"call_1",' +
  '"inputSchema":{"properties":{"x":{}},"type":"object"},"toolName":"ask"}],"v":1}';

describe('the digest of a turn', () => {
  it('TRN-1 is the lower-case hex SHA-256 of the canonical form', () => {
    expect(canonicalTurn(TURN)).toBe(CANONICAL);
    expect(turnDigest(TURN)).toBe(createHash('sha256').update(Buffer.from(CANONICAL, 'utf8')).digest('hex'));
  });

  it('TRN-1 does not depend on the order of members, and does on the order of calls', () => {
    const [first, second] = TURN.calls;
    if (first === undefined || second === undefined) throw new Error('expected two calls');
    const reordered: SeenTurn = {
      requests: TURN.requests.map(({ inputSchema, toolName, callId }) => ({ inputSchema, toolName, callId }) as never),
      calls: [{ arguments: { a: [true, null, 'é'], b: 1 }, toolName: 'ask', callId: 'call_1' }, second],
      nonce: TURN.nonce,
      kind: TURN.kind,
    };
    expect(turnDigest(reordered)).toBe(turnDigest(TURN));
    expect(turnDigest({ ...TURN, calls: [second, first] })).not.toBe(turnDigest(TURN));
  });

  it('TRN-1 a call under another id, of another tool or with other arguments is another turn', () => {
    const [first, ...others] = TURN.calls;
    const digests = [{}, { callId: 'call_3' }, { toolName: 'Ask' }, { arguments: {} }, { arguments: '{}' }].map(
      (changed) => turnDigest({ ...TURN, calls: [{ ...(first as SeenTurn['calls'][number]), ...changed }, ...others] }),
    );
    expect(new Set(digests).size).toBe(digests.length);
    expect(digests[0]).toBe(turnDigest(TURN));
  });

  it('TRN-1 leaves out what callers carry along', () => {
    const carrying = {
      ...TURN,
      runId: 'run-1',
      calls: TURN.calls.map((call) => ({ ...call, disposition: 'input' })),
      requests: TURN.requests.map((request) => ({ ...request, effect: 'reads' })),
    };
    expect(turnDigest(carrying)).toBe(turnDigest(TURN));
  });

  it('TRN-2 two identical turns have different digests through their nonces', () => {
    expect(turnDigest({ ...TURN, nonce: 'ff'.repeat(16) })).not.toBe(turnDigest(TURN));
  });

  it('TRN-1 tells arguments that parsed from the text that looks like them', () => {
    const withArguments = (args: JsonObject | string) =>
      turnDigest({ ...TURN, calls: [{ callId: 'c', toolName: 't', arguments: args }] });
    expect(withArguments('{}')).not.toBe(withArguments({}));
    expect(withArguments('{"a":1}')).not.toBe(withArguments({ a: 1 }));
    expect(withArguments({ a: 1 })).not.toBe(withArguments({ a: '1' }));
    expect(withArguments(JSON.parse('{"__proto__":1}'))).not.toBe(withArguments({}));
  });

  it('TRN-1 two turns have the same canonical form only when they are the same turn, whatever their strings contain', () => {
    const text = fc.string({
      unit: fc.constantFrom('"', '\\', ',', ':', '{', '}', 'a', '\ud800', '\udc00', 'u', 'd8', '\n'),
      maxLength: 2,
    });
    const wellFormed = fc.string({ unit: fc.constantFrom('"', '\\', ',', '}', 'a', 'é', '😀'), maxLength: 4 });
    const object = fc.dictionary(wellFormed, fc.oneof(wellFormed, fc.integer(), fc.boolean(), fc.constant(null)), {
      maxKeys: 2,
    });
    const call = fc.record({ callId: fc.constantFrom('c', 'd'), toolName: text, arguments: fc.oneof(object, text) });
    const request = fc.record(
      { callId: fc.constantFrom('c', 'd'), toolName: text, inputSchema: object },
      { requiredKeys: ['callId', 'toolName'] },
    );
    const turn = fc.record({
      kind: fc.constantFrom('input' as const, 'approval' as const),
      nonce: fc.constantFrom('n', 'm'),
      calls: fc.array(call, { maxLength: 2 }),
      requests: fc.array(request, { maxLength: 2 }),
    });
    const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
    fc.assert(
      fc.property(turn, turn, (one, other) => {
        const sameForm = canonicalTurn(one as SeenTurn) === canonicalTurn(other as SeenTurn);
        expect(sameForm).toBe(isDeepStrictEqual(plain(one), plain(other)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('TRN-1 tells texts apart by their lone surrogates, also from texts that spell them out', () => {
    const texts = ['\ud800', '\ud801', '"\\ud800"', '\\ud800', '\ufffd'];
    const digests = texts.map((text) =>
      turnDigest({ ...TURN, calls: [{ callId: 'c', toolName: 't', arguments: text }] }),
    );
    expect(new Set(digests).size).toBe(texts.length);
  });
});

describe('naming the digest of a turn', () => {
  const digest = turnDigest(TURN);

  it('TRN-3 takes the exact digest', () => {
    expect(sameDigest(`${digest}`, digest)).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['upper case', digest.toUpperCase()],
    ['one more character', `${digest}0`],
    ['a line end behind it', `${digest}\n`],
    ['another digest', turnDigest({ ...TURN, kind: 'approval' })],
    ['a list of it', [digest]],
    ['a number', 64],
    ['true', true],
    ['an object that reads as it', { toString: () => digest }],
  ])('TRN-3 refuses %s', (_what, presented) => {
    expect(sameDigest(presented, digest)).toBe(false);
  });

  it('TRN-3 never takes anything for a digest that is none', () => {
    expect(sameDigest('', '')).toBe(false);
    expect(sameDigest('g'.repeat(64), 'g'.repeat(64))).toBe(false);
  });

  it('TRN-3 a digest over the calls alone is not that of the pause', () => {
    const { requests: _requests, ...callsAlone } = TURN;
    expect(sameDigest(turnDigest({ ...callsAlone, requests: [] }), digest)).toBe(false);
  });
});
