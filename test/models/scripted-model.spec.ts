import type { ScriptedProvider } from '../../src/models/provider-configuration.js';
import { ScriptedModel, type Wait, waitInRealTime } from '../../src/models/scripted-model.js';
import { asking, failureOf } from './asking.js';

/** Goes through at once and remembers how long it was asked to wait. */
function waitInNoTime(): Wait & { readonly waited: number[] } {
  const waited: number[] = [];
  return Object.assign(async (ms: number) => void waited.push(ms), { waited });
}

function scripted(turns: ScriptedProvider['turns'], wait: Wait = waitInNoTime()): ScriptedModel {
  return new ScriptedModel({ kind: 'scripted', turns }, wait);
}

describe('the scripted model', () => {
  it('answers the n-th call of a run by the n-th turn, however often and in whatever order it is asked', async () => {
    const model = scripted([{ text: 'first' }, { text: 'second' }]);
    const texts = await Promise.all(
      [1, 0, 1].map(async (answerIndex) => (await model.ask(asking({ answerIndex }))).text),
    );
    expect(texts).toEqual(['second', 'first', 'second']);
  });

  it('answers `done` past the end', async () => {
    const done = { model: 'scripted', text: 'done', calls: [], usage: { inputTokens: 0, outputTokens: 0 } };
    expect(await scripted([]).ask(asking())).toEqual(done);
    expect(await scripted([{ text: 'a' }]).ask(asking({ answerIndex: 7 }))).toEqual(done);
  });

  it('gives calls in their order, object arguments as JSON, text as it stands, ids only where there are some', async () => {
    const calls = [
      { callId: 'same', toolName: 'one', arguments: { b: 1, a: [null] } },
      { callId: 'same', toolName: 'two', arguments: '{"unfinished' },
      { toolName: 'three', arguments: '' },
    ];
    const answer = await scripted([{ calls }]).ask(asking());
    expect(answer.text).toBe('');
    expect(answer.calls).toStrictEqual([
      { callId: 'same', toolName: 'one', arguments: '{"b":1,"a":[null]}' },
      { callId: 'same', toolName: 'two', arguments: '{"unfinished' },
      { toolName: 'three', arguments: '' },
    ]);
  });

  it.each([
    [503, 'server_error', true],
    [429, 'rate_limited', true],
    [400, 'bad_request', false],
    [401, 'unauthorized', false],
  ])('CLM-5 fails a turn with status %i as %s, each time it is reached', async (status, failureClass, retryable) => {
    const model = scripted([{ error: { status } }]);
    expect(await failureOf(model.ask(asking()))).toMatchObject({ failureClass, retryable });
    expect(await failureOf(model.ask(asking()))).toMatchObject({ failureClass, retryable });
  });

  it('waits as long as the turn says, before an error too, and not at all where it says nothing', async () => {
    const wait = waitInNoTime();
    const model = scripted([{ delayMs: 250 }, {}, { delayMs: 400, error: { status: 500 } }], wait);
    await model.ask(asking());
    await model.ask(asking({ answerIndex: 1 }));
    await failureOf(model.ask(asking({ answerIndex: 2 })));
    expect(wait.waited).toEqual([250, 400]);
  });

  it('rejects with the reason of the signal when it is aborted while it waits', async () => {
    const segment = new AbortController();
    const reason = new Error('lease lost');
    const asked = scripted([{ delayMs: 600_000 }], waitInRealTime).ask(asking({ signal: segment.signal }));
    segment.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  it('rejects with the reason of a signal that was aborted before', async () => {
    const reason = new Error('cancelled');
    await expect(scripted([{ text: 'a' }]).ask(asking({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  });
});
