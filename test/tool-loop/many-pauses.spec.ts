import { EraseContent } from '../../src/commands/erase-content.command.js';
import { EraseContentHandler } from '../../src/commands/erase-content.handler.js';
import { runStream } from '../../src/events/run-events.js';
import type { ModelRequest } from '../../src/models/model-provider.js';
import { Operator } from '../support/operator.js';
import { olga } from '../support/people.js';
import { RunDesk, runRemains } from '../support/run-desk.js';

const PAUSES = 100;

/** A model that asks so many times, then ends; remembers how much it was sent. */
class AskingModel {
  readonly messages: number[] = [];

  constructor(private readonly times: number) {}

  clientFor() {
    return {
      ask: (request: ModelRequest) => {
        this.messages.push(request.messages.length);
        const asked = request.messages.filter(({ role }) => role === 'tool').length;
        const call = { toolName: 'ask', arguments: JSON.stringify({ topic: `question ${asked}`.padEnd(100, '.') }) };
        const calls = asked < this.times ? [call] : [];
        return Promise.resolve({ model: 'm', text: '', calls, usage: { inputTokens: 1, outputTokens: 1 } });
      },
    };
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

async function aRun(pauses: number) {
  const model = new AskingModel(pauses);
  const remains = runRemains();
  const desk = new RunDesk(remains, model);
  await desk.know(olga);
  await new Operator(desk).configuration({});
  const started = await desk.start({ configurationId: 'conf' });
  if (started.outcome === 'rejected') throw new Error('not started');
  return { desk, model, clock: remains.clock, runId: started.runId };
}

describe('a run that pauses a hundred times', () => {
  it('stores with each pause what it did with the first, and reads its log as often', async () => {
    const { desk, model, runId } = await aRun(PAUSES);
    const { log } = desk.remains;
    const stored = () => log.read(runStream(runId), 0).map(({ data, metadata }) => data.length + metadata.length);
    const bytes: number[] = [];
    const events: number[] = [];
    const reads: number[] = [];
    const cpuMicros: number[] = [];
    let readsSoFar = 0;
    const read = log.read.bind(log);
    log.read = (stream, from) => {
      readsSoFar += stream === runStream(runId) ? 1 : 0;
      return read(stream, from);
    };
    await desk.work(runId);
    for (let pause = 0; pause < PAUSES; pause += 1) {
      const before = stored();
      readsSoFar = 0;
      const cpuBefore = process.cpuUsage();
      await desk.submit(runId, { amount: pause + 100, note: 'x'.repeat(50) });
      await desk.work(runId);
      reads.push(readsSoFar);
      cpuMicros.push(process.cpuUsage(cpuBefore).user);
      const added = stored().slice(before.length);
      events.push(added.length);
      bytes.push(added.reduce((sum, size) => sum + size, 0));
    }
    expect((await desk.state(runId)).status).toBe('completed');
    const [, second = 0] = bytes;
    // The last one completes the run in place of asking once more.
    for (const size of bytes.slice(0, -1)) expect(Math.abs(size - second)).toBeLessThan(second / 20);
    expect(new Set(events.slice(0, -1)).size).toBe(1);
    expect(new Set(reads.slice(0, -1)).size).toBe(1);
    // Reading six hundred events again takes a few times what writing six does, far from a hundred times.
    expect(median(cpuMicros.slice(-20))).toBeLessThan(15 * median(cpuMicros.slice(0, 20)));
    // The model hears all of it each time: that is its content, and it grows by what was added.
    expect(model.messages).toEqual(Array.from({ length: PAUSES + 1 }, (_, asked) => 1 + 2 * asked));
  });
});

describe('an answer that comes again', () => {
  const HOUR_MS = 3_600_000;

  it('TRN-5 an hour later, after a restart and with its values erased, is told that it was accepted, and nothing runs', async () => {
    const { desk, clock, runId } = await aRun(2);
    await desk.work(runId);
    const first = await digestOf(desk, runId);
    await desk.submit(runId, { amount: 1 });
    await desk.work(runId);
    const second = await digestOf(desk, runId);
    await desk.submit(runId, { amount: 2 });
    await desk.work(runId);
    const erase = new EraseContentHandler(desk.governance.streams);
    await erase.execute(new EraseContent({ kind: 'system', id: 'test' }, runId, ['working'], 'settled', 'c'));
    await clock.advance(HOUR_MS);
    const later = desk.restarted();
    const before = later.remains.log.events.length;
    for (const [digest, amount] of [
      [first, 1],
      [second, 2],
    ] as const) {
      const repeat = await later.submit(runId, { amount }, olga, digest);
      expect(repeat).toMatchObject({ outcome: 'nothing_to_do', submission: 'replayed' });
      const other = await later.submit(runId, { amount: amount + 1 }, olga, digest);
      expect(other).toMatchObject({ outcome: 'rejected', rejection: { code: 'already_answered' } });
    }
    expect(await later.work(runId)).toBe('not_claimable');
    expect(later.remains.log.events).toHaveLength(before);
    expect([desk.executions.length, later.executions.length]).toEqual([2, 0]);
    // Once the key is gone that recognises it, it is an answer to a turn that has one.
    await erase.execute(new EraseContent({ kind: 'system', id: 'test' }, runId, ['outcome'], 'age', 'c'));
    await desk.governance.streams.keys.destroy(runStream(runId), 'outcome');
    expect(await later.submit(runId, { amount: 2 }, olga, second)).toMatchObject({
      outcome: 'rejected',
      rejection: { code: 'already_answered' },
    });
  });

  async function digestOf(desk: RunDesk, runId: string): Promise<string> {
    const state = await desk.state(runId);
    return 'pause' in state ? state.pause.turnDigest : 'none';
  }
});
