import { Approve } from '../../src/commands/decide-turn.command.js';
import { ResolveCall } from '../../src/commands/resolve-call.command.js';
import { StartRun } from '../../src/commands/start-run.command.js';
import { SubmitInput } from '../../src/commands/submit-input.command.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { Streams } from '../../src/event-store/streams.js';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.js';
import type { ConfigurationEventType, PrincipalEventType } from '../../src/events/governance-events.js';
import type { JsonObject } from '../../src/events/json.js';
import { RUN_STREAM_PREFIX, type RunEvent, type RunEventType, runStream } from '../../src/events/run-events.js';
import { recordedConfiguration } from '../../src/governance/configuration-document.js';
import type { Principal } from '../../src/governance/principal.js';
import type { PromptMessage } from '../../src/models/model-provider.js';
import type { ScriptedProvider } from '../../src/models/provider-configuration.js';
import { runFold } from '../../src/run/evolve.js';
import { isSettled, type RunState } from '../../src/run/run-state.js';
import { CALM, type FaultPlan, MemoryEventStore } from '../support/memory-event-store.js';
import { MemoryKeyStore, MemoryKeys } from '../support/memory-key-store.js';
import { MemoryLog } from '../support/memory-log.js';
import { SimulatedProcess } from './simulated-process.js';
import { type Execution, LABEL } from './simulated-tools.js';
import { IMMORTAL, SeededEntropy, VirtualClock, World } from './world.js';

const CODEC = new EventCodec(EVENT_CATALOGUE);
const PATIENCE_MS = 1_800_000;

/** How the process ends that has just appended: between two instructions, or as it is asked to; null: it goes on. */
export type Blow = 'kill' | 'stop' | null;

/** What a run came to, without what no two runs have in common: times, and who did it. */
export interface RunStory {
  /** What the model was asked for each of its answers; more than one where the question was put differently. */
  readonly asked: readonly (readonly PromptMessage[])[][];
  readonly executions: readonly { readonly callId: string; readonly arguments: JsonObject }[];
  readonly events: readonly string[];
  /** Opened, in order. */
  readonly content: readonly object[];
}

/**
 * One run with an input pause, an approval pause and writes, by one process after the other: each is made anew on what
 * the one before it left, the log and the keys.
 *
 * @param blow what becomes of the process that has made the n-th append of the run, from 0
 */
export class RestartedRun {
  processes = 0;
  appends = 0;
  private readonly world = new World(1);
  private readonly log = new MemoryLog();
  private readonly keys = new MemoryKeys();
  private readonly asked = new Map<number, (readonly PromptMessage[])[]>();
  private readonly executions: Execution[] = [];
  private readonly failures: unknown[] = [];
  private readonly streams: Streams;
  private process: SimulatedProcess | null = null;
  private story: RunStory | null = null;

  constructor(
    private readonly turns: ScriptedProvider['turns'],
    private readonly blow: (append: number, events: readonly { readonly type: string }[]) => Blow,
  ) {
    this.streams = new Streams(
      new MemoryEventStore(this.log),
      CODEC,
      new MemoryKeyStore(this.keys, { now: () => this.world.now() }),
      new VirtualClock(this.world, IMMORTAL),
      new SeededEntropy(this.world.dice),
    );
  }

  async play(): Promise<RunStory> {
    await this.prepare();
    void this.keepProcess();
    void this.beClient().catch((failure) => this.failures.push(failure));
    await this.world.run(PATIENCE_MS, () => this.story !== null || this.failures.length > 0);
    if (this.failures.length > 0) throw this.failures[0];
    if (this.story === null) throw new Error('the run did not come to its end');
    return this.story;
  }

  private async keepProcess(): Promise<void> {
    while (true) {
      this.processes += 1;
      const holder: { process?: SimulatedProcess } = {};
      const process = new SimulatedProcess(
        this.world,
        `w${this.processes}`,
        {
          log: this.log,
          keys: this.keys,
          codec: CODEC,
          tools: [LABEL],
          observe: (execution) => this.executions.push(execution),
          unexpected: (failure) => this.failures.push(failure),
          asked: ({ answerIndex, messages }) => this.note(answerIndex, messages),
        },
        this.plan(holder),
        () => 5,
      );
      holder.process = process;
      this.process = process;
      process.start();
      await process.death;
    }
  }

  private plan(holder: { process?: SimulatedProcess }): FaultPlan {
    let blow: Blow = null;
    return {
      ...CALM,
      appendFate: (stream, events) => {
        if (stream.startsWith(RUN_STREAM_PREFIX)) {
          blow = this.blow(this.appends, events);
          this.appends += 1;
        }
        return 'commit';
      },
      pause: async (point) => {
        if (point === 'appended') {
          if (blow === 'kill') holder.process?.kill();
          if (blow === 'stop') void holder.process?.stop();
          blow = null;
        }
        await this.world.sleep(1, holder.process ?? IMMORTAL);
      },
    };
  }

  /** A question that is put again must be the same; one that is not shows in the story. */
  private note(answerIndex: number, messages: readonly PromptMessage[]): void {
    const asked = this.asked.get(answerIndex) ?? [];
    const put = JSON.stringify(messages);
    if (!asked.some((other) => JSON.stringify(other) === put)) asked.push(structuredClone(messages) as PromptMessage[]);
    this.asked.set(answerIndex, asked);
  }

  private async beClient(): Promise<void> {
    const runId = await this.start();
    while (true) {
      await this.world.sleep(500, IMMORTAL);
      const { state, events } = await this.streams.load<RunState, RunEventType>(runFold, runStream(runId));
      if (isSettled(state)) {
        this.story = await this.told(runId, events);
        return;
      }
      if (state.status === 'waiting_for_input') {
        const { turnDigest, requests } = state.pause;
        const answers = Object.fromEntries(requests.map(({ callId }) => [callId, { amount: 7 }]));
        const submission = new SubmitInput(OLGA, runId, turnDigest, { form: 'answers', answers }, 'client');
        await this.ask((process) => process.submitInput.execute(submission));
      } else if (state.status === 'waiting_for_approval') {
        const approval = new Approve(OLGA, runId, state.pause.turnDigest, null, 'client');
        await this.ask((process) => process.decisions.decide(approval));
      } else if (state.status === 'waiting_for_resolution') {
        const { callId } = state;
        const happened = this.executions.some((execution) => execution.callId === callId);
        const finding = happened
          ? ({ verdict: 'executed', result: 'found' } as const)
          : ({ verdict: 'not_executed' } as const);
        await this.ask((process) =>
          process.resolveCall.execute(new ResolveCall(ADA, runId, callId, finding, '', 'client')),
        );
      }
    }
  }

  private async start(): Promise<string> {
    const request = {
      configurationId: 'conf',
      messages: [{ role: 'user' as const, content: 'go' }],
      allowedTools: null,
      maxIterations: 10,
      forcedSnippetIds: [],
      forcedSkillIds: [],
      options: {},
    };
    while (true) {
      const result = await this.ask((process) =>
        process.startRun.execute(new StartRun(OLGA, request, 'key', 'client')),
      );
      if (result?.outcome === 'rejected') throw new Error(`the start was rejected: ${result.rejection.code}`);
      if (result !== null) return result.runId;
    }
  }

  /** Null where the process went away before it answered. */
  private async ask<T>(request: (process: SimulatedProcess) => Promise<T>): Promise<T | null> {
    const { process } = this;
    await this.world.sleep(1, IMMORTAL);
    if (process === null || !process.alive) return null;
    return Promise.race([request(process), process.death.then(() => null)]);
  }

  private async told(runId: string, events: readonly RunEvent[]): Promise<RunStory> {
    const keys = await this.streams.keys.find(runStream(runId));
    const lasting = events.filter(({ type }) => !PASSING.has(type));
    return {
      asked: [...this.asked.keys()].sort((a, b) => a - b).map((index) => this.asked.get(index) ?? []),
      executions: this.executions.map(({ callId, arguments: args }) => ({ callId, arguments: args })),
      events: lasting.map((event) => {
        const { callId, outcome, reason } = event.data as Record<string, unknown>;
        return [event.type, callId, outcome, reason].filter((part) => part !== undefined).join(' ');
      }),
      content: lasting.flatMap((event) => {
        if (event.sealed === undefined) return [];
        // The nonce of a pause is drawn anew for every run.
        const { nonce: _nonce, ...content } = CODEC.open(event, keys) as Record<string, unknown>;
        return [content];
      }),
    };
  }

  private async prepare(): Promise<void> {
    const context = { actor: { kind: 'system', id: 'test' }, correlationId: 'test' } as const;
    for (const { id, ...principal } of [OLGA, ADA]) {
      const put = { type: 'PrincipalPut', data: principal } as const;
      await this.streams.append<PrincipalEventType>(`principal-${id}`, 'no_stream', [put], context);
    }
    const document = recordedConfiguration({
      provider: { kind: 'scripted', turns: this.turns },
      trustZone: 'local',
      fallbacks: [],
      systemPrompt: 'be kind',
      allowedTools: null,
      snippetIds: [],
      skillIds: [],
      requireSecondApprover: false,
    });
    const put = { type: 'ConfigurationPut', ...document } as const;
    await this.streams.append<ConfigurationEventType>('configuration-conf', 'no_stream', [put], context);
  }
}

/** What a restart adds to a history, and nothing that happened in it. */
const PASSING: ReadonlySet<string> = new Set<RunEvent['type']>(['RunClaimed', 'LeaseExtended', 'RunRequeued']);

function person(id: string, admin: boolean): Principal {
  return { id, kind: 'person', enabled: true, admin, grants: [], scopes: [], oidcSubject: null };
}

const OLGA = person('olga', false);
const ADA = person('ada', true);
