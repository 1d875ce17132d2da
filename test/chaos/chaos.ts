import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { Dice } from '../simulation/world.js';
import { compileOnBuild, compilePrograms, nextMessage, startProgram } from '../support/compiled-processes.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { Service } from '../support/service.js';

/** Two workers on one log. */
const SLOTS = 2;
const CLIENTS = 4;
/** Stopped for longer than this, a worker has lost its runs when it comes back. */
const LEASE_SECONDS = 1;
const STOPPED_MS = 2_500;
/** A run that does not end within this, after the last blow, is stuck. */
const PATIENCE_MS = 60_000;

interface Executed {
  readonly runId: string;
  readonly callId: string;
  readonly idempotencyKey: string;
  readonly toolName: string;
  readonly arguments: { readonly amount?: number };
}

interface Acknowledged {
  readonly runId: string;
  readonly turnDigest: string;
  readonly kind: 'input' | 'approval';
  readonly amount?: number;
  readonly approved?: boolean;
}

interface TimelineEvent {
  readonly type: string;
  readonly callId?: string;
  readonly turnDigest?: string;
  readonly approved?: boolean;
  readonly verdict?: string;
}

export interface ChaosOptions {
  readonly seed: number;
  /** Blows: a kill, or a stop beyond the lease. */
  readonly rounds: number;
}

export interface ChaosReport {
  readonly violations: readonly string[];
  readonly runs: number;
  readonly kills: number;
  readonly stops: number;
  readonly executions: number;
  readonly resolutions: number;
}

/**
 * The real service as processes, two workers on one log: runs with pauses, approvals and writes are driven over HTTP
 * while their workers are killed, stopped beyond their lease and started again. A ledger outside of them says what
 * really happened.
 */
export class Chaos {
  private readonly dice: Dice;
  private readonly folder = scratchFolder();
  private readonly programs = scratchFolder();
  private readonly services: (Service | null)[] = Array.from({ length: SLOTS }, () => null);
  private readonly acknowledged: Acknowledged[] = [];
  private readonly violations: string[] = [];
  private readonly runs: string[] = [];
  /** Requests whose start was acknowledged, by run. */
  private readonly started = new Map<string, { readonly request: object; readonly headers: Record<string, string> }>();
  /** Runs whose cancellation was acknowledged. */
  private readonly cancelled = new Set<string>();
  /** Acknowledged findings, by run and call. */
  private readonly found = new Map<string, string>();
  private ledger: ChildProcess | null = null;
  private ledgerAddress = '';
  private roundsLeft: number;
  private kills = 0;
  private stops = 0;
  private resolutions = 0;
  /** When the last service was started for good; null while there are blows to come. */
  private calmSinceMs: number | null = null;

  constructor(options: ChaosOptions) {
    this.dice = new Dice(options.seed);
    this.roundsLeft = options.rounds;
  }

  async run(): Promise<ChaosReport> {
    try {
      await this.startLedger();
      const first = await this.startService();
      await first.call('PUT', '/configurations/story', {
        provider: { kind: 'scripted', turns: TURNS },
        trustZone: 'local',
      });
      await first.kill();
      const strikers = Promise.all(this.services.map((_, slot) => this.strike(slot))).then(() => {
        this.calmSinceMs = Date.now();
      });
      const clients = Array.from({ length: CLIENTS }, (_, client) => this.beClient(client));
      await Promise.all([strikers, ...clients]);
      const executions = await this.executions();
      for (const runId of this.runs) await this.judge(runId, executions);
      const { violations, runs, kills, stops, resolutions } = this;
      return { violations, runs: runs.length, kills, stops, executions: executions.length, resolutions };
    } finally {
      await Promise.all(this.services.map((service) => service?.kill()));
      this.ledger?.kill('SIGKILL');
      this.folder.remove();
      this.programs.remove();
    }
  }

  private async startLedger(): Promise<void> {
    compilePrograms(join(this.programs.path, 'plain'), 'ledger');
    this.ledger = startProgram(join(this.programs.path, 'plain'), 'ledger');
    this.ledgerAddress = await nextMessage<string>(this.ledger);
    this.program = compileOnBuild(join(this.programs.path, 'built'), 'service-with-ledger-tools');
  }

  private program = '';

  private startService(): Promise<Service> {
    return Service.start({
      dataDir: this.folder.path,
      program: this.program,
      env: { HOLDPOINT_LEASE_SECONDS: String(LEASE_SECONDS), LEDGER: this.ledgerAddress, HOLDPOINT_LOG_LEVEL: 'warn' },
    });
  }

  /** Starts the service of a slot and strikes it down, again and again; leaves it running in the end. */
  private async strike(slot: number): Promise<void> {
    while (this.roundsLeft > 0) {
      this.roundsLeft -= 1;
      const service = await this.startService();
      this.services[slot] = service;
      await sleep(this.dice.below(1_200));
      if (this.dice.chance(0.25)) {
        this.stops += 1;
        process.kill(service.pid, 'SIGSTOP');
        await sleep(STOPPED_MS);
        process.kill(service.pid, 'SIGCONT');
        await sleep(this.dice.below(1_000));
      }
      this.kills += 1;
      this.services[slot] = null;
      await service.kill();
    }
    this.services[slot] = await this.startService();
  }

  private async beClient(client: number): Promise<void> {
    for (let count = 0; this.roundsLeft > 0 || count === 0; count += 1) {
      const request = { configurationId: 'story', input: 'go', maxIterations: 20 };
      const headers = { 'idempotency-key': `client-${client}-run-${count}` };
      const { body } = await this.persist('POST', '/runs', request, headers);
      this.runs.push(body.id);
      this.started.set(body.id, { request, headers });
      await this.driveToItsEnd(body.id);
    }
  }

  private async driveToItsEnd(runId: string): Promise<void> {
    while (true) {
      const { body: run } = await this.persist('GET', `/runs/${runId}`);
      if (run.outcome !== undefined) return;
      if (run.pause === undefined) {
        if (this.calmSinceMs !== null && Date.now() - this.calmSinceMs > PATIENCE_MS) {
          this.violations.push(`${runId} is stuck: ${run.status}`);
          return;
        }
        await sleep(30);
      } else if (run.pause.kind === 'input') await this.answer(runId, run.pause.turnDigest);
      else if (run.pause.kind === 'approval') {
        // Now and then somebody cancels while somebody else decides.
        const races = this.dice.chance(0.1) ? [this.cancel(runId)] : [];
        await Promise.all([this.decide(runId, run.pause.turnDigest), ...races]);
      } else await this.resolve(runId);
    }
  }

  private async answer(runId: string, turnDigest: string): Promise<void> {
    const amount = this.dice.below(1_000_000);
    const { body } = await this.persist('POST', `/runs/${runId}/input`, { turnDigest, data: { amount } });
    if (wasTaken(body)) this.acknowledged.push({ runId, turnDigest, kind: 'input', amount });
    else this.expectTooLate(runId, body);
  }

  private async decide(runId: string, turnDigest: string): Promise<void> {
    const approved = this.dice.chance(0.8);
    const { body } = await this.persist('POST', `/runs/${runId}/approval`, { turnDigest, approved });
    if (wasTaken(body)) this.acknowledged.push({ runId, turnDigest, kind: 'approval', approved });
    else this.expectTooLate(runId, body);
  }

  private async cancel(runId: string): Promise<void> {
    const { status, body } = await this.persist('POST', `/runs/${runId}/cancel`);
    if (status === 202) this.cancelled.add(runId);
    else if (body.code !== 'run-settled')
      this.violations.push(`${runId}: a cancellation was refused with ${body.code}`);
  }

  /** An administrator looks into the ledger, as one would look at the bank's statement. */
  private async resolve(runId: string): Promise<void> {
    const { body: pause } = await this.persist('GET', `/runs/${runId}/pause`);
    const callId: string | undefined = pause.requests?.[0]?.callId;
    if (callId === undefined) return;
    const happened = (await this.executions()).some(
      (executed) => executed.runId === runId && executed.callId === callId,
    );
    const verdict = happened ? { verdict: 'executed', result: 'found' } : { verdict: 'not_executed' };
    // Two administrators look at once and say the same.
    const say = () => this.persist('POST', `/runs/${runId}/resolution`, { callId, ...verdict, note: 'ledger' });
    for (const { status } of await Promise.all([say(), say()])) {
      if (status !== 202) continue;
      this.resolutions += 1;
      this.found.set(`${runId} ${callId}`, verdict.verdict);
    }
  }

  private expectTooLate(runId: string, body: { readonly code?: string }): void {
    const expected = ['stale-turn', 'not-awaiting-input', 'not-awaiting-approval', 'already-answered', 'run-settled'];
    if (!expected.includes(body.code ?? '')) this.violations.push(`${runId}: an answer was refused with ${body.code}`);
  }

  private async executions(): Promise<readonly Executed[]> {
    return (await (await fetch(this.ledgerAddress)).json()) as Executed[];
  }

  private async judge(runId: string, ledger: readonly Executed[]): Promise<void> {
    const { body: run } = await this.persist('GET', `/runs/${runId}`);
    const start = this.started.get(runId);
    const again = await this.persist('POST', '/runs', start?.request, start?.headers);
    if (again.body.id !== runId) this.violations.push(`${runId}: an acknowledged start is lost`);
    const ends = this.cancelled.has(runId) ? ['cancelled'] : ['finished', 'retries_exhausted', 'cancelled'];
    if (!ends.includes(run.outcome?.reason)) {
      this.violations.push(`${runId} ended as ${run.status} (${run.outcome?.reason})`);
    }
    const { body: timeline } = await this.persist('GET', `/runs/${runId}/events?limit=200`);
    const events: readonly TimelineEvent[] = timeline.items;
    const executed = ledger.filter((entry) => entry.runId === runId);
    this.judgeAnswers(runId, events, executed);
    this.judgeCalls(runId, events, executed);
    this.judgeEnd(runId, events);
  }

  /** Every acknowledged answer is in the log, once, and what ran had its values. */
  private judgeAnswers(runId: string, events: readonly TimelineEvent[], executed: readonly Executed[]): void {
    const answers = events.filter(({ type }) => type === 'InputSubmitted' || type === 'ApprovalDecided');
    if (new Set(answers.map(({ turnDigest }) => turnDigest)).size !== answers.length) {
      this.violations.push(`${runId}: a turn was answered twice`);
    }
    for (const answer of this.acknowledged.filter((known) => known.runId === runId)) {
      const kept = answers.find(({ turnDigest }) => turnDigest === answer.turnDigest);
      if (kept === undefined) this.violations.push(`${runId}: an acknowledged answer is lost`);
      else if (answer.kind === 'approval' && kept.approved !== answer.approved) {
        this.violations.push(`${runId}: another decision was recorded`);
      }
    }
    const amounts = this.acknowledged.filter((known) => known.runId === runId).map(({ amount }) => amount);
    for (const { toolName, arguments: args } of executed) {
      if (toolName === 'ask' && !amounts.includes(args.amount)) {
        this.violations.push(`${runId}: a tool ran with values that nobody gave`);
      }
    }
  }

  /** What was found out is in the log, once, as it was said; and nothing follows on a run's end. */
  private judgeEnd(runId: string, events: readonly TimelineEvent[]): void {
    const findings = events.filter(({ type }) => type === 'CallResolved');
    for (const [call, verdict] of this.found) {
      const [of, callId] = call.split(' ');
      if (of !== runId) continue;
      const kept = findings.filter((finding) => finding.callId === callId);
      if (kept.length !== 1 || kept[0]?.verdict !== verdict) {
        this.violations.push(`${runId}: an acknowledged finding is not in the log once, as it was`);
      }
    }
    const end = events.findIndex(({ type }) => ['RunCompleted', 'RunFailed', 'RunCancelled'].includes(type));
    const after = events.slice(end + 1).filter(({ type }) => type !== 'RunContentErased');
    if (end === -1 || after.length > 0) this.violations.push(`${runId}: ${after.length} events after its end`);
  }

  /** Each call has one result; a write that must not happen twice did not, nor without somebody's yes. */
  private judgeCalls(runId: string, events: readonly TimelineEvent[], executed: readonly Executed[]): void {
    const results = events.filter(({ type }) => type === 'ToolCallCompleted' || type === 'CallResolved');
    if (new Set(results.map(({ callId }) => callId)).size !== results.length) {
      this.violations.push(`${runId}: a call has two results`);
    }
    const refunds = executed.filter(({ toolName }) => toolName === 'refund');
    if (new Set(refunds.map(({ callId }) => callId)).size !== refunds.length) {
      this.violations.push(`${runId}: a write happened twice`);
    }
    const approved = events.some(({ type, approved: yes }) => type === 'ApprovalDecided' && yes === true);
    const writes = executed.filter(({ toolName }) => toolName === 'refund' || toolName === 'label');
    if (writes.length > 0 && !approved) this.violations.push(`${runId}: a write without an approval`);
    for (const { callId, idempotencyKey } of executed) {
      if (idempotencyKey !== `${runId}/${callId}`) this.violations.push(`${runId}: another idempotency key`);
    }
  }

  /** As a client that repeats whatever was not answered, against whichever process there is. */
  private async persist(method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>) {
    while (true) {
      const service = this.dice.pick(this.services.filter((candidate) => candidate !== null));
      if (service !== undefined) {
        try {
          const answer = await withDeadline(service.call(method, path, body, headers));
          if (answer.status < 500) return answer;
        } catch {
          // It was struck down in the middle, or stopped: nobody can know what it did.
        }
      }
      await sleep(20);
    }
  }
}

const TURNS = [
  { calls: [{ toolName: 'look', arguments: {} }] },
  { calls: [{ toolName: 'ask', arguments: { amount: -1 } }] },
  {
    calls: [
      { toolName: 'refund', arguments: { cents: 5 } },
      { toolName: 'look', arguments: {} },
    ],
  },
  {
    calls: [
      { toolName: 'ask', arguments: {} },
      { toolName: 'look', arguments: {} },
    ],
  },
  { calls: [{ toolName: 'label', arguments: {} }] },
  { text: 'the end' },
];

function wasTaken({ submission }: { readonly submission?: string }): boolean {
  return submission === 'accepted' || submission === 'replayed';
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A stopped process answers nothing; a client does not wait for ever. */
async function withDeadline<T>(call: Promise<T>): Promise<T> {
  const deadline = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('no answer')), 3_000).unref());
  return Promise.race([call, deadline]);
}
