import { runStream } from '../../src/events/run-events.js';
import { runFold } from '../../src/run/evolve.js';
import type { StartedRun } from '../../src/run/run-state.js';
import { openPause } from '../../src/run-content/open-pause.js';
import type { ToolCallContext, ToolDeclaration, ToolImplementation } from '../../src/tools/tool.js';
import { ToolRegistry } from '../../src/tools/tool-registry.js';
import { HttpService } from './http-service.js';
import { RunTalk, type ScriptedCall } from './run-talk.js';

/* As whom a call executes, with what, and what becomes of it when the run is no longer there to hear of it. */

const ASKED = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] } as const;
const GIVEN = {
  type: 'object',
  properties: { ...ASKED.properties, n: { type: 'integer' } },
  required: ['amount'],
} as const;

const executed: { toolName: string; ownerId: string; given: object }[] = [];
const previewed: string[] = [];
/** What happens in the world while a call of `slow` is executed. */
let meanwhile: (context: ToolCallContext) => Promise<unknown> = async () => {};

const tools = new ToolRegistry();

function register(
  name: string,
  more: Partial<ToolDeclaration>,
  implementation: Partial<ToolImplementation> = {},
): void {
  const common = {
    description: name,
    effect: 'read_only',
    dataClass: 'public',
    parameters: { type: 'object' },
  } as const;
  tools.register({
    declaration: { ...common, name, ...more },
    implementation: {
      execute: (given, { ownerId }) => {
        executed.push({ toolName: name, ownerId, given });
        return 'done so';
      },
      ...implementation,
    },
  });
}

let service: HttpService;
let talk: RunTalk;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  register('ask', { inputSchema: ASKED, parameters: GIVEN });
  register('look', {});
  register(
    'write',
    { effect: 'non_idempotent_write' },
    {
      preview: (_given, { ownerId }) => {
        previewed.push(ownerId);
        return ['Writes.'];
      },
    },
  );
  register('slow', {}, { execute: (_given, context) => meanwhile(context).then(() => 'too late') });
  service = await HttpService.start({ tools });
  talk = new RunTalk(service);
  tokens.olga = await service.principal('olga', { kind: 'person' });
  tokens.gina = await service.principal('gina', { kind: 'person', grants: ['agent_approve'] });
});
afterAll(() => service.stop());
beforeEach(() => {
  executed.length = 0;
  previewed.length = 0;
});

const call = (callId: string, toolName: string, given: object = {}): ScriptedCall => ({
  callId,
  toolName,
  arguments: given,
});

describe('a call that somebody else answered for', () => {
  it('INP-14 SUB-8 executes as the owner of the run, with the values of whoever submitted', async () => {
    const id = await talk.paused([[call('a', 'ask', { n: 1 }), call('b', 'look')], 'end'], tokens.olga);
    expect((await talk.submit(id, { data: { amount: 7 } }, tokens.gina)).status).toBe(202);
    await service.work(id);
    expect(executed).toEqual([
      { toolName: 'ask', ownerId: 'olga', given: { n: 1, amount: 7 } },
      { toolName: 'look', ownerId: 'olga', given: {} },
    ]);
  });

  it('APP-4 SUB-8 is described once, as the owner, when the run pauses, and executes as the owner', async () => {
    const id = await talk.paused([[call('a', 'write')], 'end'], tokens.olga);
    for (let times = 0; times < 3; times += 1) {
      expect((await talk.pause(id)).requests).toMatchObject([{ preview: ['Writes.'] }]);
    }
    expect((await talk.decide(id, true, undefined, tokens.gina)).status).toBe(202);
    await service.work(id);
    expect(previewed).toEqual(['olga']);
    expect(executed).toEqual([{ toolName: 'write', ownerId: 'olga', given: {} }]);
  });

  it('LIF-4 INP-14 has its arguments checked after the person’s values are laid over them', async () => {
    const id = await talk.paused([
      [call('a', 'ask', { n: 'no number' }), call('b', 'ask', { amount: 'no number' })],
      'end',
    ]);
    expect(await talk.read(id)).toMatchObject({ status: 'waiting_for_input' });
    await talk.submit(id, { answers: { a: { amount: 1 }, b: { amount: 2 } } });
    await service.work(id);
    expect(await talk.results(id)).toEqual([
      ['a', 'invalid_arguments'],
      ['b', 'ok'],
    ]);
    expect(executed.map(({ given }) => given)).toEqual([{ amount: 2 }]);
    expect(await talk.read(id)).toMatchObject({ status: 'completed' });
  });
});

describe('a call that is under way when its run is cancelled', () => {
  it('LIF-6 LIF-1 ends, and its result changes nothing: no further call and no further answer of the model', async () => {
    const id = await talk.started([[call('a', 'slow'), call('b', 'look')], 'end']);
    let signal: AbortSignal | undefined;
    meanwhile = async (context) => {
      ({ signal } = context);
      expect((await service.call('POST', `/runs/${id}/cancel`)).status).toBe(202);
      expect(await talk.read(id)).toMatchObject({ status: 'cancelled', outcome: { reason: 'cancelled' } });
    };
    await service.work(id);
    const types = (await talk.timeline(id)).map(({ type }) => type);
    expect(types).toEqual(['RunStarted', 'RunClaimed', 'ModelResponded', 'RunCancelled']);
    expect(executed).toEqual([]);
    expect(signal).toBeDefined();
    await expect(service.work(id)).rejects.toThrow('not_claimable');
  });
});

describe('the nonce of a pause', () => {
  it('TRN-1 TRN-2 is 128 random bits of its own, and in the log only sealed', async () => {
    const script = [[call('a', 'ask')], 'end'] as const;
    const ids = [await talk.paused(script), await talk.paused(script)];
    const nonces = await Promise.all(
      ids.map(async (id) => {
        const run = (await service.streams.load(runFold, runStream(id))).state as StartedRun;
        const opened = await openPause(service.streams, run);
        return opened.pause === 'sound' ? opened.nonce : '';
      }),
    );
    for (const nonce of nonces) {
      expect(Buffer.from(nonce, 'base64url')).toHaveLength(16);
      expect(service.log.events.filter(({ data }) => data.includes(nonce))).toEqual([]);
    }
    expect(nonces[0]).not.toBe(nonces[1]);
    expect(await talk.digest(ids[0] as string)).not.toBe(await talk.digest(ids[1] as string));
  });
});
