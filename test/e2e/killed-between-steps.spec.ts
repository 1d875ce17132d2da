import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { compileOnBuild, compilePrograms, nextMessage, startProgram } from '../support/compiled-processes.js';
import { OpenAIServer, type Reply } from '../support/openai-server.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { Service } from '../support/service.js';

const CALLS = [
  { id: 'c0', function: { name: 'ask', arguments: '{"topic":"size"}' } },
  { id: 'c1', function: { name: 'label', arguments: '{"as":"seen"}' } },
];

const MOST_PROCESSES = 30;

/** What came of a run: what the model was asked, what was executed, what is in the log. */
interface Came {
  readonly asked: readonly string[];
  readonly executed: readonly unknown[];
  readonly events: readonly string[];
  readonly content: string;
}

describe('a service that is killed as by kill -9 after every step', () => {
  const folders = [scratchFolder(), scratchFolder()] as const;
  const programs = scratchFolder();
  const asked: string[] = [];
  let model: OpenAIServer;
  let ledger: ChildProcess;
  let ledgerAddress: string;
  let program: string;

  beforeAll(async () => {
    model = await OpenAIServer.start(({ body }) => {
      const { messages } = body as unknown as { readonly messages: readonly { readonly role: string }[] };
      asked.push(JSON.stringify(messages));
      const call = CALLS[messages.filter(({ role }) => role === 'assistant').length];
      const reply: Reply = { kind: 'completion', text: call === undefined ? 'the end' : 'let me see' };
      return call === undefined ? reply : { ...reply, calls: [call] };
    });
    compilePrograms(join(programs.path, 'plain'), 'ledger');
    ledger = startProgram(join(programs.path, 'plain'), 'ledger');
    ledgerAddress = await nextMessage<string>(ledger);
    program = compileOnBuild(join(programs.path, 'built'), 'service-killed-after-steps');
  }, 60_000);
  afterAll(async () => {
    ledger.kill('SIGKILL');
    await model.close();
    for (const folder of [...folders, programs]) folder.remove();
  });

  /** Plays a run to its end, whatever becomes of the processes that work on it. */
  async function play(dataDir: string, steps: number): Promise<{ came: Came; processes: number }> {
    asked.length = 0;
    const before = (await executions()).length;
    const env = { LEDGER: ledgerAddress, STEPS: String(steps), HOLDPOINT_LEASE_SECONDS: '1' };
    let processes = 0;
    let over = false;
    /** One may be killed before it listens: the worker in it goes on with the run at once. */
    const startOne = async (): Promise<Service> => {
      while (processes < MOST_PROCESSES) {
        processes += 1;
        try {
          return await Service.start({ dataDir, program, env });
        } catch {}
      }
      throw new Error('the run does not get on');
    };
    /** The process that serves now, or the one that is about to. */
    let serving = startOne();
    const keeping = (async () => {
      while (true) {
        await (await serving).ended();
        if (over) return;
        serving = startOne();
      }
    })();
    /** As a client that repeats what was not answered. */
    const persist = async (method: string, path: string, body?: object, headers = {}) => {
      while (true) {
        const service = await serving;
        try {
          const answer = await service.call(method, path, body, headers);
          if (answer.status < 500) return answer.body;
        } catch {
          await service.ended();
          await setImmediate();
        }
      }
    };

    const provider = { kind: 'openai-compatible', baseUrl: model.baseUrl, model: 'm' };
    await persist('PUT', '/configurations/story', { provider, trustZone: 'local' });
    const request = { configurationId: 'story', input: 'go' };
    const { id } = await persist('POST', '/runs', request, { 'idempotency-key': 'one' });
    let run = await persist('GET', `/runs/${id}`);
    while (run.outcome === undefined) {
      const turnDigest = run.pause?.turnDigest;
      if (run.pause?.kind === 'input') await persist('POST', `/runs/${id}/input`, { turnDigest, data: { amount: 7 } });
      if (run.pause?.kind === 'approval') await persist('POST', `/runs/${id}/approval`, { turnDigest, approved: true });
      run = await persist('GET', `/runs/${id}`);
    }
    const timeline = await persist('GET', `/runs/${id}/events?limit=200`);
    over = true;
    await (await serving).kill();
    await keeping;
    const events = timeline.items as readonly { readonly type: string; readonly outcome?: string }[];
    const came = {
      asked: [...new Set(asked)],
      executed: (await executions()).slice(before),
      events: events
        .filter(({ type }) => type !== 'RunClaimed' && type !== 'LeaseExtended')
        .map(({ type, outcome }) => `${type} ${outcome ?? ''}`),
      content: run.outcome.content,
    };
    return { came, processes };
  }

  async function executions(): Promise<readonly unknown[]> {
    const lines = (await (await fetch(ledgerAddress)).json()) as readonly Record<string, unknown>[];
    return lines.map(({ toolName, callId, arguments: args }) => ({ toolName, callId, args }));
  }

  it('CLM-3 CLM-6 asks, executes and records what one does that is left alone', async () => {
    const alone = await play(folders[0].path, 1_000);
    const killed = await play(folders[1].path, 1);
    expect(alone.processes).toBe(1);
    expect(killed.processes).toBe(alone.came.events.length - 1);
    expect(alone.came.executed).toHaveLength(2);
    expect(killed.came).toEqual(alone.came);
  }, 300_000);
});
