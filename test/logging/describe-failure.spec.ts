import { readFileSync } from 'node:fs';
import { describeFailure } from '../../src/logging/describe-failure.js';

const SECRET = 'what-nobody-may-read';

function caught(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('what is logged of an error', () => {
  it('is its class and the places that it came through, innermost first', () => {
    class Unfit extends Error {
      override readonly name = 'Unfit';
    }
    const { error, frames } = describeFailure(new Unfit('of no use'));
    expect(error).toBe('Unfit');
    expect(frames[0]).toMatch(/^at .+describe-failure\.spec\.ts:\d+:\d+\)?$/);
    expect(frames.length).toBeLessThanOrEqual(10);
  });

  it.each<[string, () => unknown]>([
    ['Node', () => readFileSync('/there/is/none')],
    ['the engine', () => JSON.parse('{"a":')],
    ['a value of the wrong type', () => (null as unknown as { a: string }).a],
    ['Node, with a code', () => Buffer.from(7 as unknown as string)],
  ])('has places for an error of %s', (_of, act) => {
    expect(describeFailure(caught(act)).frames).toContainEqual(expect.stringMatching(/describe-failure\.spec\.ts/));
  });

  it.each<[string, unknown]>([
    ['in lines that look like places', new Error(`no\n    at ${SECRET} (file:///a/b.js:1:2)\n    at ${SECRET}`)],
    ['in a message that was emptied', Object.assign(new Error(`no\n    at ${SECRET} (b.js:1:2)`), { message: '' })],
    ['in a message that was changed', Object.assign(new Error(`no\n    at ${SECRET} (b.js:1:2)`), { message: 'no' })],
    ['in a stack of its own', Object.assign(new Error('no'), { stack: `    at ${SECRET} (b.js:1:2)` })],
    ['in its name', Object.assign(new Error('no'), { name: SECRET })],
    ['in what it says is its class', Object.assign(new Error('no'), { constructor: { name: `${SECRET} ` } })],
    ['in a member', Object.assign(new Error('no'), { detail: SECRET })],
    ['in its cause', new Error('no', { cause: new Error(SECRET) })],
    ['in something thrown that is no error', { message: SECRET, stack: `    at ${SECRET} (b.js:1:2)` }],
    ['in a text that was thrown', SECRET],
  ])('INP-11 LIF-4 is nothing that an error holds %s', (_place, failure) => {
    expect(JSON.stringify(describeFailure(failure))).not.toContain(SECRET);
  });

  it('is only what can be said of a stack that was taken away', () => {
    expect(describeFailure(Object.assign(new Error('no'), { stack: undefined })).frames).toEqual([]);
    const classless = Object.assign(new Error('no'), { constructor: undefined, stack: undefined });
    expect(describeFailure(classless)).toEqual({ error: 'Error', frames: [] });
  });
});
