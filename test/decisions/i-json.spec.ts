import fc from 'fast-check';
import { type IJsonFault, isIJsonNumber, parseIJson } from '../../src/run/i-json.js';

function faultOf(text: string, limits = {}): IJsonFault | 'none' {
  const reading = parseIJson(text, limits);
  return reading.ok ? 'none' : reading.fault;
}

describe('reading a text as I-JSON', () => {
  it('INP-4 reads every JSON value to the value that JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'grapheme' }), (text) => {
        const reading = parseIJson(text);
        fc.pre(reading.ok || reading.fault !== 'unsafe_integer');
        expect(reading).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it.each([
    '',
    ' ',
    '{',
    '[1,]',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '[1 2]',
    '01',
    '+1',
    '.5',
    '1.',
    'NaN',
    'Infinity',
    '/* no */ 1',
    '1 // no',
    '"\n"',
    '"\\x41"',
    'tru',
    '1 1',
    '\ufeff1',
    'undefined',
    '"\\u12"',
  ])('INP-4 refuses %j, which is no JSON', (text) => {
    expect(faultOf(text)).toBe('syntax');
  });

  it.each([
    ['{"a":1,"a":1}', '/a'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['[0,{"b/c":{"x":1,"y":[],"x":2}}]', '/1/b~1c/x'],
    ['{"":1,"":2}', '/'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['{"constructor":{},"constructor":{}}', '/constructor'],
  ])('INP-4 refuses the repeated name in %s', (text, pointer) => {
    expect(parseIJson(text)).toEqual({ ok: false, fault: 'duplicate_key', pointer });
  });

  it('INP-4 takes the same name in different objects', () => {
    expect(faultOf('[{"a":{"a":1}},{"a":2}]')).toBe('none');
  });

  it.each([
    ['"\\ud800"', ''],
    ['["x","\\udc00\\ud800"]', '/1'],
    ['{"a":"\ud83d"}', '/a'],
    ['{"b":{"\\udfff":1}}', '/b'],
  ])('INP-4 refuses the lone surrogate in %j', (text, pointer) => {
    expect(parseIJson(text)).toEqual({ ok: false, fault: 'lone_surrogate', pointer });
  });

  it('INP-4 takes surrogates in pairs, however they are written', () => {
    expect(parseIJson('"\\ud83d\\ude00😀"')).toEqual({ ok: true, value: '😀😀' });
  });

  it.each([
    '9007199254740992',
    '-9007199254740992',
    '9007199254740993.0',
    '1e16',
    '123456789012345678901',
    '1e400',
    '-1e400',
  ])('INP-4 refuses %s, which does not keep its value', (literal) => {
    expect(parseIJson(`{"n":[${literal}]}`)).toEqual({ ok: false, fault: 'unsafe_integer', pointer: '/n/0' });
    expect(isIJsonNumber(literal)).toBe(false);
  });

  it.each([
    '9007199254740991',
    '-9007199254740991',
    '0',
    '-0',
    '0.1',
    '1.5e3',
    '6.02e23',
    '5e-324',
    '1.7976931348623157e308',
  ])('INP-4 takes %s', (literal) => {
    expect(parseIJson(literal)).toEqual({ ok: true, value: Number(literal) });
  });

  it('INP-4 takes again what it took once and was written as JSON', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = JSON.stringify(number);
        if (!parseIJson(text).ok) return;
        const again = parseIJson(JSON.stringify(JSON.parse(text)));
        expect(again).toMatchObject({ ok: true });
      }),
    );
  });

  it('reads names of the prototype as plain own members', () => {
    const reading = parseIJson('{"__proto__":{"admin":true},"constructor":1,"toString":null}');
    if (!reading.ok) throw new Error('expected a value');
    expect(Object.keys(reading.value as object)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(reading.value)).toBe(Object.prototype);
    expect((reading.value as { admin?: unknown }).admin).toBeUndefined();
  });

  it('counts depth in objects and arrays, and values as nodes', () => {
    expect(faultOf('[[1]]', { maxDepth: 2 })).toBe('none');
    expect(faultOf('[[[1]]]', { maxDepth: 2 })).toBe('too_deep');
    expect(faultOf('{"a":{"b":[]}}', { maxDepth: 2 })).toBe('too_deep');
    expect(faultOf('1', { maxDepth: 0 })).toBe('none');
    expect(faultOf('["[[[[", "\\"[["]', { maxDepth: 1 })).toBe('none');
    expect(faultOf('[1,{"a":2}]', { maxNodes: 4 })).toBe('none');
    expect(faultOf('[1,{"a":2}]', { maxNodes: 3 })).toBe('too_many_nodes');
  });

  it.each(['[', '{"a":', '[[{"a":'])(
    'answers text that nests %s 100,000 times without running out of stack',
    (opening) => {
      expect(faultOf(opening.repeat(100_000))).toBe('too_deep');
    },
  );

  it('takes bounded time on 300 kB of anything', () => {
    const texts = [
      `[${'0,'.repeat(150_000)}0]`,
      `{${Array.from({ length: 30_000 }, (_, index) => `"n${index}":1`).join(',')}}`,
      `"${'\\u0061'.repeat(50_000)}"`,
      `"${'\\'.repeat(300_000)}"`,
      `${'[]'.repeat(150_000)}`,
      `[${'[],'.repeat(100_000)}1]`,
    ];
    const started = performance.now();
    for (const text of texts) parseIJson(text);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('INP-11 says nothing of the content in a fault but where it is', () => {
    const reading = parseIJson('{"secret":"hunter2","secret":"hunter2"}');
    expect(JSON.stringify(reading)).not.toContain('hunter2');
  });
});
