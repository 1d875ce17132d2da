import type { NewRunEvent } from '../../src/events/run-events.js';
import { runStream } from '../../src/events/run-events.js';
import { runFold } from '../../src/run/evolve.js';
import type { StartedRun } from '../../src/run/run-state.js';
import { openPause } from '../../src/run-content/open-pause.js';
import { openResolution } from '../../src/run-content/open-resolution.js';
import { ASK, askingForApproval, askingForInput, askingForResolution, LOOK, REFUND } from '../support/asking-run.js';
import { inputSubmitted, runClaimed, runStarted } from '../support/run-history.js';
import { RunWriter } from '../support/run-writer.js';
import { VirtualClock } from '../support/virtual-clock.js';

describe('Opening a pause', () => {
  let writer: RunWriter;
  beforeEach(() => {
    writer = new RunWriter(new VirtualClock());
  });

  async function loaded(events: readonly NewRunEvent[]) {
    await writer.write('r1', ...events);
    const run = await writer.streams.load(runFold, runStream('r1'));
    return { run: run.state as StartedRun, events: run.events };
  }

  const opened = async (...events: NewRunEvent[]) => openPause(writer.streams, (await loaded(events)).run);

  it('gives the calls as the model made them, and the nonce', async () => {
    await expect(opened(...askingForInput())).resolves.toEqual({
      pause: 'sound',
      calls: [LOOK, ASK],
      nonce: expect.any(String),
      previews: [],
    });
  });

  it('APP-4 gives the previews of an approval', async () => {
    await expect(opened(...askingForApproval())).resolves.toMatchObject({
      pause: 'sound',
      calls: [LOOK, REFUND],
      previews: [{ callId: 'c2', lines: ['Refunds 5 cents.'] }],
    });
  });

  it('SUB-10 opens the pause of an answered run as it did before', async () => {
    const answered = opened(...askingForInput(), inputSubmitted());
    await expect(answered).resolves.toMatchObject({ pause: 'sound', calls: [LOOK, ASK] });
  });

  it('TRN-1 finds a digest that does not come out the same', async () => {
    const corrupt = opened(...askingForInput({ turnDigest: 'b'.repeat(64) }));
    await expect(corrupt).resolves.toEqual({ pause: 'corrupt', errorClass: 'digest_mismatch' });
  });

  it('TRN-4 finds sealed calls that are not those by which the gates go', async () => {
    const corrupt = opened(...askingForInput({ sealed: [LOOK, { ...ASK, toolName: 'refund' }] }));
    await expect(corrupt).resolves.toEqual({ pause: 'corrupt', errorClass: 'digest_mismatch' });
  });

  it.each([
    ['describes no object', { type: 'string' }],
    ['declares no property', { type: 'object', properties: {} }],
    ['has a keyword that nobody knows', { type: 'object', properties: { a: {} }, requiresLuck: true }],
  ])('INP-5 finds a schema that %s', async (_, inputSchema) => {
    const corrupt = opened(...askingForInput({ inputSchema }));
    await expect(corrupt).resolves.toEqual({ pause: 'corrupt', errorClass: 'unusable_schema' });
  });

  it('SEA-2 finds content whose key was destroyed', async () => {
    const { run } = await loaded(askingForInput());
    await writer.keys.destroy(runStream('r1'), 'working');
    await expect(openPause(writer.streams, run)).resolves.toEqual({ pause: 'corrupt', errorClass: 'content_erased' });
  });

  it('finds content that does not open', async () => {
    const { run } = await loaded(askingForInput());
    if (run.status !== 'waiting_for_input' || run.turn === null) throw new Error('it waits for input');
    const suspended = { ...run.pause.suspended, sealed: run.turn.responded.sealed } as typeof run.pause.suspended;
    const pause = { ...run.pause, suspended };
    const corrupt = openPause(writer.streams, { ...run, turn: { ...run.turn, pause } });
    await expect(corrupt).resolves.toEqual({ pause: 'corrupt', errorClass: 'unreadable_content' });
  });

  it('is a mistake where there is none', async () => {
    await expect(opened(runStarted(), runClaimed())).rejects.toThrow('has no pause');
  });

  it('CLM-4 gives the arguments with which an uncertain write was begun', async () => {
    const { run, events } = await loaded(askingForResolution());
    if (run.status !== 'waiting_for_resolution') throw new Error('it waits for a resolution');
    await expect(openResolution(writer.streams, run, events)).resolves.toEqual({
      pause: 'sound',
      calls: [LOOK, REFUND],
      arguments: { cents: 5, currency: 'EUR' },
      effect: 'non_idempotent_write',
    });
    await writer.keys.destroy(runStream('r1'), 'working');
    await expect(openResolution(writer.streams, run, events)).resolves.toEqual({
      pause: 'corrupt',
      errorClass: 'content_erased',
    });
  });
});
