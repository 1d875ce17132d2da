import * as fc from 'fast-check';
import { fitPreviews, previewTool } from '../../src/tool-loop/preview.js';
import type { RegisteredTool, ToolCallContext } from '../../src/tools/tool.js';

const context: ToolCallContext = {
  runId: 'r',
  callId: 'c',
  ownerId: 'o',
  idempotencyKey: 'r/c',
  signal: new AbortController().signal,
};

/** A tool whose preview is what the function gives. */
function telling(preview: () => unknown): RegisteredTool {
  const implementation = { execute: async () => null, preview: async () => preview() as string[] };
  return { implementation } as unknown as RegisteredTool;
}

const linesOf = (preview: () => unknown) => previewTool(telling(preview), {}, context);

describe('a preview', () => {
  it('APP-4 is at most 20 lines of 500 characters, and says what was cut', async () => {
    const lines = await linesOf(() => Array.from({ length: 25 }, (_, line) => `${line}`.padEnd(600, '.')));
    expect(lines).toHaveLength(20);
    expect(lines[0]).toBe(`${'0'.padEnd(499, '.')}…`);
    expect(lines[19]).toBe('[6 more lines]');
    expect(await linesOf(() => Array(20).fill('a'))).toEqual(Array(20).fill('a'));
  });

  it('APP-4 never cuts a character in two', async () => {
    const [line] = await linesOf(() => [`${'a'.repeat(498)}😀😀`]);
    expect(line).toBe(`${'a'.repeat(498)}…`);
  });

  it.each<[string, () => unknown]>([
    ['throws', () => fail()],
    ['is no list', () => null],
  ])('APP-4 that %s is a line that says so, without what was thrown', async (_what, preview) => {
    expect(await linesOf(preview)).toEqual(['The preview of this tool failed.']);
  });

  it.each<[string, unknown]>([
    ['nothing', []],
    ['blanks', ['', ' \n']],
  ])('APP-4 of %s is a line that says so', async (_what, lines) => {
    expect(await linesOf(() => lines)).toEqual(['The preview of this tool came out empty.']);
  });

  it('APP-4 is a line that says so where there is none to be had', async () => {
    expect(await previewTool(undefined, {}, context)).toEqual(['This tool is not registered any more.']);
    expect(
      await previewTool(
        telling(() => ['x']),
        'not json',
        context,
      ),
    ).toEqual(['This tool has no preview.']);
  });
});

describe('the previews of a turn', () => {
  const bytes = (previews: readonly { readonly lines: readonly string[] }[]) =>
    previews.flatMap(({ lines }) => lines).reduce((sum, line) => sum + Buffer.byteLength(line), 0);

  it('APP-4 have a line for every call, and fit into their event however many and long they are', async () => {
    const line = fc.string({ unit: 'binary', minLength: 1, maxLength: 500 });
    const turn = fc.array(fc.array(line, { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 64 });
    const least = 64 * 32;
    await fc.assert(
      fc.property(turn, fc.integer({ min: least, max: 64 * 1024 }), (calls, most) => {
        const previews = calls.map((lines, index) => ({ callId: `c${index}`, lines }));
        const fitted = fitPreviews(previews, most);
        expect(fitted.map(({ callId }) => callId)).toEqual(previews.map(({ callId }) => callId));
        expect(fitted.every(({ lines }) => lines.length > 0)).toBe(true);
        // A preview of one line is not cut any further: with 64 of the longest the real bound still has room.
        const single = previews.filter(({ lines }) => lines.length === 1);
        expect(bytes(fitted)).toBeLessThanOrEqual(most + bytes(single));
      }),
      { numRuns: 50 },
    );
  });

  it('APP-4 are left alone where they fit', () => {
    const previews = [{ callId: 'c', lines: ['a', 'b'] }];
    expect(fitPreviews(previews)).toBe(previews);
  });

  it('APP-4 of the largest turn fit with the bound that counts', () => {
    const lines = Array(20).fill('€'.repeat(500));
    const previews = Array.from({ length: 64 }, (_, index) => ({ callId: `c${index}`, lines }));
    const fitted = fitPreviews(previews);
    expect(bytes(fitted)).toBeLessThanOrEqual(256 * 1024);
    expect(fitted[63]?.lines.at(-1)).toMatch(/^\[\d+ more lines\]$/);
  });
});

function fail(): never {
  throw new Error('with a secret');
}
