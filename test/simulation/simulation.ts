import { CancelRun } from '../../src/commands/cancel-run.command.js';
import { Approve, Deny } from '../../src/commands/decide-turn.command.js';
import { ResolveCall } from '../../src/commands/resolve-call.command.js';
import { StartRun } from '../../src/commands/start-run.command.js';
import { SubmitInput } from '../../src/commands/submit-input.command.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { StoreUnavailable } from '../../src/event-store/errors.js';
import { Streams } from '../../src/event-store/streams.js';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.js';
import type { ConfigurationEventType, PrincipalEventType } from '../../src/events/governance-events.js';
import type { JsonObject } from '../../src/events/json.js';
import { type RunEvent, type RunEventType, runStream } from '../../src/events/run-events.js';
import { recordedConfiguration } from '../../src/governance/configuration-document.js';
import type { Principal } from '../../src/governance/principal.js';
import type { Verdict } from '../../src/run/decisions/resolve-call.js';
import { runFold } from '../../src/run/evolve.js';
import { type ApprovalWaitingRun, type InputWaitingRun, isSettled, type RunState } from '../../src/run/run-state.js';
import { type FaultPlan, MemoryEventStore } from '../support/memory-event-store.js';
import { MemoryKeyStore, MemoryKeys } from '../support/memory-key-store.js';
import { MemoryLog } from '../support/memory-log.js';
import { SimulatedProcess } from './simulated-process.js';
import type { Execution } from './simulated-tools.js';
import { drawStory, type Story } from './story.js';
import { IMMORTAL, SeededEntropy, VirtualClock, World } from './world.js';

/** Compiled once for all seeds; it has no state. */
const CODEC = new EventCodec(EVENT_CATALOGUE);

/** Faults, crashes and client errors happen until then; what is left must come to an end by itself. */
const STORM_MS = 4 * 60_000;
const PATIENCE_MS = 3_600_000;
const CLIENT_TIMEOUT_MS = 20_000;
const LONGEST_JUMP_MS = 5 * 3_600_000;

/** An answer that the service said it had accepted. */
interface Acknowledged {
  readonly runId: string;
  readonly by: string;
  readonly turnDigest: string;
  readonly answers: JsonObject;
}

/** A decision that the service said it had accepted. */
interface Decided {
  readonly runId: string;
  readonly by: string;
  readonly turnDigest: string;
  readonly approved: boolean;
}

/** What an answer may be told when another one, a cancellation or its own first try came first. */
const TOO_LATE: readonly string[] = [
  'already_answered',
  'run_settled',
  'not_awaiting_input',
  'not_awaiting_approval',
  'stale_turn',
];

interface Observed extends Execution {
  readonly workerId: string;
  /** Whether the log held a result of this call when it was executed. */
  readonly hadResult: boolean;
}

/** Everything that one seed led to. */
export class Simulation {
  readonly violations: string[] = [];
  private readonly world: World;
  private readonly log = new MemoryLog();
  private readonly keys = new MemoryKeys();
  private readonly streams: Streams;
  private readonly processes: SimulatedProcess[] = [];
  private readonly acknowledged: Acknowledged[] = [];
  private readonly decided: Decided[] = [];
  private readonly executions: Observed[] = [];
  private readonly stories = new Map<string, Story>();
  /** Runs that somebody asked to cancel. */
  private readonly cancelled = new Set<string>();
  private openClients = 0;
  private workers = 0;

  constructor(readonly seed: number) {
    this.world = new World(seed);
    this.streams = new Streams(
      new MemoryEventStore(this.log),
      CODEC,
      new MemoryKeyStore(this.keys, { now: () => this.world.now() }),
      new VirtualClock(this.world, IMMORTAL),
      new SeededEntropy(this.world.dice),
    );
  }

  async run(): Promise<void> {
    for (const person of PEOPLE) await this.putPrincipal(person);
    const processes = 1 + this.world.dice.below(2);
    for (let slot = 0; slot < processes; slot += 1) void this.keepProcess(slot);
    const runs = 1 + this.world.dice.below(3);
    for (let index = 0; index < runs; index += 1) void this.beClient(`run ${index}`);
    if (this.world.dice.chance(0.5)) void this.beClockSetter();
    await this.world.run(PATIENCE_MS, () => this.openClients === 0);
    if (this.openClients > 0) this.violations.push(`${this.openClients} runs did not come to an end`);
    for (const [runId, story] of this.stories) await this.judge(runId, story);
  }

  /** Sets the clocks of all processes, forward and back by hours, while the storm lasts. */
  private async beClockSetter(): Promise<void> {
    const { dice } = this.world;
    while (this.storm) {
      await this.world.sleep(dice.below(60_000), IMMORTAL);
      this.world.setClocks(dice.below(2 * LONGEST_JUMP_MS) - LONGEST_JUMP_MS);
    }
  }

  private get storm(): boolean {
    return this.world.time() < Date.parse('2030-01-01T00:00:00.000Z') + STORM_MS;
  }

  /** Starts the process of a slot again and again, until the storm is over. */
  private async keepProcess(slot: number): Promise<void> {
    const { world } = this;
    const { dice } = world;
    while (true) {
      this.workers += 1;
      const holder: { process?: SimulatedProcess } = {};
      const process = new SimulatedProcess(
        world,
        `w${this.workers}`,
        {
          log: this.log,
          keys: this.keys,
          codec: CODEC,
          observe: (execution, workerId) => this.observe(execution, workerId),
          unexpected: (failure) => this.judgeFailure(failure),
        },
        this.planFor(holder),
        () => (dice.chance(0.1) ? dice.below(25_000) : dice.below(500)),
      );
      holder.process = process;
      this.processes[slot] = process;
      process.start();
      await this.untilDeath(process);
      await world.sleep(dice.below(20_000), IMMORTAL);
    }
  }

  private async untilDeath(process: SimulatedProcess): Promise<void> {
    const { dice } = this.world;
    await Promise.race([process.death, this.world.sleep(dice.below(60_000), IMMORTAL)]);
    if (this.storm && dice.chance(0.4)) {
      // Stopped for longer than its lease: it comes back as a worker that has lost its runs and does not know it yet.
      process.frozenUntilMs = this.world.time() + dice.below(60_000);
      await Promise.race([process.death, this.world.sleep(60_000, IMMORTAL)]);
    }
    if (!process.alive) return;
    if (!this.storm) await process.death;
    else if (dice.chance(0.3)) await Promise.race([process.stop(), process.death]);
    else process.kill();
  }

  private planFor(holder: { process?: SimulatedProcess }): FaultPlan {
    const { world } = this;
    const { dice } = world;
    return {
      pause: async (point) => {
        const { process } = holder;
        if (process === undefined) return;
        // A crash at this very await: before the append, or between its commit and its answer.
        if (this.storm && dice.chance(0.004)) process.kill();
        await world.sleep(point === 'feed' ? 1 + dice.below(20) : this.storm ? dice.below(40) : 1, process);
      },
      appendFate: () => {
        if (!this.storm || !dice.chance(0.06)) return 'commit';
        return dice.pick(['refuse', 'lose_before', 'lose_after'] as const);
      },
      readFate: () => (this.storm && dice.chance(0.01) ? 'refuse' : 'answer'),
      feedFate: () => {
        if (!this.storm || !dice.chance(0.1)) return 'deliver';
        return dice.pick(['repeat', 'split', 'hold', 'drop'] as const);
      },
    };
  }

  private observe(execution: Execution, workerId: string): void {
    const hadResult = this.log
      .read(runStream(execution.runId), 0)
      .some(({ type, data }) => type === 'ToolCallCompleted' && JSON.parse(data).callId === execution.callId);
    this.executions.push({ ...execution, workerId, hadResult });
  }

  private judgeFailure(failure: unknown): void {
    if (failure instanceof StoreUnavailable) return;
    this.violations.push(`unexpected ${failure instanceof Error ? failure.stack : String(failure)}`);
  }

  /** Somebody who starts a run, answers whatever it asks, and does not give up. */
  private async beClient(name: string): Promise<void> {
    this.openClients += 1;
    const { dice } = this.world;
    const story = drawStory(dice);
    const configurationId = name.replace(' ', '-');
    await this.putConfiguration(configurationId, story);
    const runId = await this.start(configurationId, name);
    this.stories.set(runId, story);
    const cancelAt = dice.chance(0.15) ? this.world.time() + dice.below(120_000) : Number.POSITIVE_INFINITY;
    while (true) {
      await this.world.sleep(dice.below(5_000), IMMORTAL);
      const state = await this.stateOf(runId);
      if (isSettled(state)) break;
      if (this.world.time() >= cancelAt) await this.cancel(runId);
      else if (state.status === 'waiting_for_resolution') await this.resolve(runId, state.callId);
      else if (state.status === 'waiting_for_input') await this.answer(runId, state);
      else if (state.status === 'waiting_for_approval') await this.decide(runId, state);
    }
    this.openClients -= 1;
  }

  private async start(configurationId: string, key: string): Promise<string> {
    while (true) {
      const request = {
        configurationId,
        messages: [{ role: 'user' as const, content: 'go' }],
        allowedTools: null,
        maxIterations: 10,
        forcedSnippetIds: [],
        forcedSkillIds: [],
        options: {},
      };
      const result = await this.ask((process) => process.startRun.execute(new StartRun(OLGA, request, key, 'client')));
      if (result?.outcome === 'rejected') this.violations.push(`the start was rejected: ${result.rejection.code}`);
      else if (result !== null) return result.runId;
    }
  }

  /** One or several people answer the same pause, perhaps twice, perhaps at once, perhaps through different processes. */
  private async answer(runId: string, state: InputWaitingRun): Promise<void> {
    const { dice } = this.world;
    const people = dice.chance(0.4) ? [OLGA, ADA] : [OLGA];
    await Promise.all(people.map((person) => this.submit(runId, state, person, dice.below(1_000_000))));
  }

  private async submit(runId: string, { pause }: InputWaitingRun, person: Principal, amount: number): Promise<void> {
    const { dice } = this.world;
    const answers = Object.fromEntries(pause.requests.map(({ callId }) => [callId, { amount, by: person.id }]));
    const attempts = dice.chance(0.2) ? 2 : 1;
    for (let attempt = 0; attempt < attempts; ) {
      await this.world.sleep(dice.below(50), IMMORTAL);
      const result = await this.ask((process) =>
        process.submitInput.execute(
          new SubmitInput(person, runId, pause.turnDigest, { form: 'answers', answers }, 'client'),
        ),
      );
      if (result === null) continue;
      attempt += 1;
      if (result.outcome === 'rejected') {
        const { code } = result.rejection;
        if (!TOO_LATE.includes(code)) this.violations.push(`a submission was rejected: ${code}`);
        return;
      }
      this.acknowledged.push({ runId, by: person.id, turnDigest: pause.turnDigest, answers });
    }
  }

  /** Two people may decide at once, and not the same. */
  private async decide(runId: string, { pause }: ApprovalWaitingRun): Promise<void> {
    const { dice } = this.world;
    const people = dice.chance(0.3) ? [OLGA, ADA] : [OLGA];
    await Promise.all(people.map((person) => this.decideAs(person, runId, pause.turnDigest, dice.chance(0.7))));
  }

  private async decideAs(person: Principal, runId: string, turnDigest: string, approved: boolean): Promise<void> {
    const Decision = approved ? Approve : Deny;
    const decision = new Decision(person, runId, turnDigest, null, 'client');
    while (true) {
      await this.world.sleep(this.world.dice.below(50), IMMORTAL);
      const result = await this.ask((process) => process.decisions.decide(decision));
      if (result === null) continue;
      if (result.outcome !== 'rejected') this.decided.push({ runId, by: person.id, turnDigest, approved });
      else if (!TOO_LATE.includes(result.rejection.code)) this.violations.push(`a decision: ${result.rejection.code}`);
      return;
    }
  }

  /** An administrator who can see what the world outside of the service saw. */
  private async resolve(runId: string, callId: string): Promise<void> {
    const happened = this.executions.some((execution) => execution.runId === runId && execution.callId === callId);
    const finding: Verdict = happened ? { verdict: 'executed', result: 'found' } : { verdict: 'not_executed' };
    await this.ask((process) =>
      process.resolveCall.execute(new ResolveCall(ADA, runId, callId, finding, '', 'client')),
    );
  }

  private async cancel(runId: string): Promise<void> {
    // A cancellation whose answer is lost may have landed all the same.
    this.cancelled.add(runId);
    await this.ask((process) => process.cancelRun.execute(new CancelRun(OLGA, runId, 'client')));
  }

  /** @returns null where there was no answer: no process, a crash, a store that is away, or a client that hung up. */
  private async ask<T>(request: (process: SimulatedProcess) => Promise<T>): Promise<T | null> {
    const process = this.world.dice.pick(this.processes);
    if (process === undefined || !process.alive) {
      await this.world.sleep(1_000, IMMORTAL);
      return null;
    }
    const answer = request(process).catch((failure) => {
      this.judgeFailure(failure);
      return null;
    });
    return Promise.race([answer, this.world.sleep(CLIENT_TIMEOUT_MS, IMMORTAL).then(() => null)]);
  }

  private async stateOf(runId: string): Promise<RunState> {
    return (await this.streams.load<RunState, RunEventType>(runFold, runStream(runId))).state;
  }

  private async judge(runId: string, story: Story): Promise<void> {
    const { events, state } = await this.streams.load<RunState, RunEventType>(runFold, runStream(runId));
    this.judgeEnd(runId, story, state);
    this.judgeClaims(runId, events);
    this.judgeCalls(runId, events, state);
    await this.judgeAnswers(runId, events, state);
    this.judgeWrites(runId, events);
  }

  private judgeEnd(runId: string, story: Story, state: RunState): void {
    if (!isSettled(state)) return;
    const { reason } = state.settlement;
    const expected = this.cancelled.has(runId) ? ['cancelled', 'finished'] : ['finished'];
    // Crash upon crash without progress ends a run, too, and so does a provider that always fails.
    const also = ['retries_exhausted'];
    if (![...expected, ...also].includes(reason)) this.violations.push(`${runId} ended with ${reason}`);
    if (story.endsInFailure && reason === 'finished')
      this.violations.push(`${runId} finished in spite of its provider`);
  }

  /** CLM-1, CLM-2: what a worker recorded, it recorded under its own live claim. */
  private judgeClaims(runId: string, events: readonly RunEvent[]): void {
    let holder: string | null = null;
    const claimIds = new Set<string>();
    for (const event of events) {
      if (event.type === 'RunClaimed') {
        holder = event.data.workerId;
        if (claimIds.has(event.data.claimId)) this.violations.push(`${runId}: a claim id twice`);
        claimIds.add(event.data.claimId);
      } else if (event.actor.kind === 'worker' && event.type !== 'RunReleased' && event.actor.id !== holder) {
        if (event.type !== 'RunFailed')
          this.violations.push(`${runId}: ${event.type} by ${event.actor.id}, not ${holder}`);
      }
    }
  }

  /** CLM-3, LIF-3: every call has exactly one result, and none runs again once its result is recorded. */
  private judgeCalls(runId: string, events: readonly RunEvent[], state: RunState): void {
    const results = events.flatMap((event) =>
      event.type === 'ToolCallCompleted' || event.type === 'CallResolved' ? [event.data.callId] : [],
    );
    if (new Set(results).size !== results.length) this.violations.push(`${runId}: a call has two results`);
    const calls = events.flatMap((event) => (event.type === 'ModelResponded' ? event.data.calls : []));
    if (state.status === 'completed' && results.length !== calls.length) {
      this.violations.push(`${runId}: ${calls.length} calls have ${results.length} results`);
    }
    for (const execution of this.executions) {
      if (execution.runId !== runId) continue;
      if (execution.hadResult) this.violations.push(`${runId}: ${execution.callId} ran after its result was recorded`);
    }
  }

  /** CLM-6: every acknowledged answer is in the log once, and the tool ran with exactly its values. */
  private async judgeAnswers(runId: string, events: readonly RunEvent[], state: RunState): Promise<void> {
    const keys = await this.streams.keys.find(runStream(runId));
    const submitted = events.flatMap((event) => (event.type === 'InputSubmitted' ? [event] : []));
    const digests = submitted.map(({ data }) => data.turnDigest);
    if (new Set(digests).size !== digests.length) this.violations.push(`${runId}: a turn was answered twice`);
    for (const { runId: of, by, turnDigest, answers } of this.acknowledged) {
      if (of !== runId) continue;
      const recorded = submitted.find(({ data }) => data.turnDigest === turnDigest && data.submittedBy === by);
      if (recorded === undefined) {
        this.violations.push(`${runId}: an acknowledged answer of ${by} is lost`);
        continue;
      }
      const kept = CODEC.open(recorded, keys) as { answers: Record<string, { amount: number }> };
      for (const [callId, answer] of Object.entries(answers)) {
        const amount = (answer as { amount: number }).amount;
        if (kept.answers[callId]?.amount !== amount) this.violations.push(`${runId}: another answer was recorded`);
        const ran = this.executions.filter((execution) => execution.runId === runId && execution.callId === callId);
        if (state.status === 'completed' && ran.length === 0) this.violations.push(`${runId}: ${callId} never ran`);
        for (const { arguments: args } of ran) {
          if (args.amount !== amount || Object.hasOwn(args, 'by') || Object.hasOwn(args, 'note')) {
            this.violations.push(`${runId}: ${callId} ran with other values than the person's`);
          }
        }
      }
    }
  }

  /** CLM-4, APP-1, SUB-12: a write happens at most once, and only after a recorded yes to its turn. */
  private judgeWrites(runId: string, events: readonly RunEvent[]): void {
    const decisions = events.flatMap((event) => (event.type === 'ApprovalDecided' ? [event.data] : []));
    for (const { runId: of, by, turnDigest, approved } of this.decided) {
      const kept = decisions.some(
        (data) => data.turnDigest === turnDigest && data.decidedBy === by && data.approved === approved,
      );
      if (of === runId && !kept) this.violations.push(`${runId}: an acknowledged decision of ${by} is lost`);
    }
    const released = releasedWrites(events);
    const writes = this.executions.filter((execution) => execution.runId === runId && execution.toolName === 'refund');
    for (const { callId } of writes) {
      if (!released.has(callId)) this.violations.push(`${runId}: ${callId} wrote without an approval`);
    }
    if (new Set(writes.map(({ callId }) => callId)).size !== writes.length) {
      this.violations.push(`${runId}: a write happened twice`);
    }
  }

  private async putPrincipal({ id, oidcSubject, ...principal }: Principal): Promise<void> {
    await this.streams.append<PrincipalEventType>(
      `principal-${id}`,
      'no_stream',
      [{ type: 'PrincipalPut', data: { ...principal, oidcSubject } }],
      { actor: { kind: 'system', id: 'simulation' }, correlationId: 'simulation' },
    );
  }

  private async putConfiguration(id: string, story: Story): Promise<void> {
    const document = recordedConfiguration({
      provider: { kind: 'scripted', turns: story.turns },
      trustZone: 'local',
      fallbacks: [],
      systemPrompt: 'system',
      allowedTools: null,
      snippetIds: [],
      skillIds: [],
      requireSecondApprover: false,
    });
    await this.streams.append<ConfigurationEventType>(
      `configuration-${id}`,
      'no_stream',
      [{ type: 'ConfigurationPut', ...document }],
      { actor: { kind: 'system', id: 'simulation' }, correlationId: 'simulation' },
    );
  }
}

/** The calls that an approval pause asked about and that somebody then said yes to. */
function releasedWrites(events: readonly RunEvent[]): ReadonlySet<string> {
  const approved = new Set(
    events.flatMap((event) => (event.type === 'ApprovalDecided' && event.data.approved ? [event.data.turnDigest] : [])),
  );
  return new Set(
    events.flatMap((event) =>
      event.type === 'RunSuspendedForApproval' && approved.has(event.data.turnDigest)
        ? event.data.requests.map(({ callId }) => callId)
        : [],
    ),
  );
}

function person(id: string, admin: boolean): Principal {
  return { id, kind: 'person', enabled: true, admin, grants: [], scopes: [], oidcSubject: null };
}

const OLGA = person('olga', false);
const ADA = person('ada', true);
const PEOPLE = [OLGA, ADA];
