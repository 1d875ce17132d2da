import { entityTag, precondition } from '../../src/http/headers/precondition.js';
import { preferredWait } from '../../src/http/headers/prefer.js';
import { Problem } from '../../src/http/problems/problem.js';

describe('Prefer (RFC 7240)', () => {
  it.each<[string | undefined, number | null]>([
    [undefined, null],
    ['', null],
    ['wait=10', 10],
    ['wait=0', 0],
    ['wait=60', 60],
    ['wait=61', 60],
    ['wait=999999999', 60],
    ['WAIT = "7"', 7],
    ['respond-async, wait=10', 10],
    ['return=minimal; foo="a,wait=5", wait=10', 10],
    ['wait=10; foo=bar', 10],
    ['wait=10, wait=20', 10],
    ['wait', null],
    ['wait=', null],
    ['wait=-1', null],
    ['wait=1.5', null],
    ['wait=ten', null],
    ['wait=9999999999', null],
    ['awaiting=3', null],
    ['foo="wait=5"', null],
  ])('%j is a wait of %j seconds', (header, seconds) => {
    expect(preferredWait(header)).toBe(seconds);
  });

  it('is not read where it is absurdly long', () => {
    expect(preferredWait(`${'"a,'.repeat(300)}wait=3`)).toBe(3);
    expect(preferredWait(`${'"a,'.repeat(400)}wait=3`)).toBeNull();
  });
});

describe('conditions (RFC 9110)', () => {
  const revisions = (header: string) => {
    const found = precondition(header, undefined);
    return found.kind === 'is_one_of' ? found.revisions : found.kind;
  };

  it('a tag that was given out is understood again', () => {
    for (const revision of [0, 1, 123_456_789]) expect(revisions(entityTag(revision))).toEqual([revision]);
  });

  it.each<[string, readonly number[] | string]>([
    ['*', 'exists'],
    [' * ', 'exists'],
    ['"1","22" , "3"', [1, 22, 3]],
    ['W/"1"', []],
    ['W/"1", "2"', [2]],
    ['"abc"', []],
    ['"1a", "a1"', []],
    ['"-1"', []],
    ['""', []],
  ])('%j', (header, expected) => {
    expect(revisions(header)).toEqual(expected);
  });

  it('nothing is asked for where nothing is given', () => {
    expect(precondition(undefined, undefined)).toEqual({ kind: 'none' });
    expect(precondition(undefined, '*')).toEqual({ kind: 'does_not_exist' });
  });

  it.each<[string | undefined, string | undefined]>([
    ['1', undefined],
    ['"1', undefined],
    ['"1" "2"', undefined],
    ['"1",', undefined],
    ['', undefined],
    [undefined, '"1"'],
    ['*', '*'],
  ])('%j and %j are refused', (ifMatch, ifNoneMatch) => {
    expect(() => precondition(ifMatch, ifNoneMatch)).toThrow(Problem);
  });
});
