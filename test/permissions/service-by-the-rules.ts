import { PutConfiguration } from '../../src/commands/governance/put-configuration.command.js';
import { SwitchTool } from '../../src/commands/governance/switch-tool.command.js';
import { SwitchToolHandler } from '../../src/commands/governance/switch-tool.handler.js';
import type { Principal } from '../../src/governance/principal.js';
import { aConfiguration, aPrincipal, ROOT } from '../support/governance-samples.js';
import { type GuardedExecution, guardedTools } from '../support/guarded-tools.js';
import { RunDesk, runRemains } from '../support/run-desk.js';
import type { Answer, Configuration, Person, RuleBook } from './rule-book.js';

const NO_PRECONDITION = { kind: 'none' } as const;

const ROOT_ADMINISTRATOR: Principal = { ...aPrincipal({ admin: true }), id: ROOT.id };

/** The service in one process, with the outcomes in the words of the rule book. */
export class Service {
  readonly executed: GuardedExecution[] = [];
  readonly runIds: string[] = [];
  /** Of each run, the digest of each turn that it has waited with. */
  private readonly digests: Map<number, string>[] = [];
  private readonly remains = runRemains();
  private readonly desk = new RunDesk(this.remains, undefined, guardedTools(this.executed));
  private readonly switches = new SwitchToolHandler(this.desk.governance.streams, this.desk.registry);
  private readonly people = new Map<string, Principal>();

  /** @param told gets every outcome of an answer and of a claim */
  constructor(
    private readonly script: RuleBook['script'],
    private readonly told: (outcome: string) => void,
  ) {}

  async know(id: string, { kind, enabled, admin, mayAnswer }: Person): Promise<void> {
    const [grants, scopes] = mayAnswer ? (['agent_approve', 'agent:approve'] as const) : [];
    const principal: Principal = {
      id,
      kind,
      enabled,
      admin,
      grants: kind === 'person' && grants !== undefined ? [grants] : [],
      scopes: kind === 'service_account' && scopes !== undefined ? [scopes] : [],
      oidcSubject: null,
    };
    // Administration is taken from people by somebody who has it.
    await this.desk.know(ROOT_ADMINISTRATOR, principal);
    this.people.set(id, principal);
  }

  async configure(configuration: Configuration): Promise<void> {
    const turns = this.script.map((toolNames, turn) => ({
      calls: toolNames.map((toolName, index) => ({ callId: `t${turn}_${index}`, toolName, arguments: {} })),
    }));
    const document = aConfiguration({ ...configuration, provider: { kind: 'scripted', turns } });
    await this.desk.governance.execute(new PutConfiguration(ROOT, 'c', document, NO_PRECONDITION, 'c'));
  }

  async switchTool(name: string, enabled: boolean, careful: boolean): Promise<void> {
    const document = { enabled, approval: careful ? true : null };
    const { outcome } = await this.switches.execute(new SwitchTool(ROOT, name, document, NO_PRECONDITION, 'c'));
    if (outcome === 'rejected') throw new Error('the switch was refused');
  }

  async start(owner: string): Promise<void> {
    const started = await this.desk.start({ configurationId: 'c' }, this.people.get(owner));
    if (started.outcome === 'rejected') throw new Error('the start was refused');
    this.runIds.push(started.runId);
    this.digests.push(new Map());
  }

  async answer(run: number, { kind, by, value, turn }: Answer): Promise<string> {
    const runId = this.runIds[run] as string;
    const digest = (turn === null ? undefined : this.digests[run]?.get(turn)) ?? 'f'.repeat(64);
    const answered =
      kind === 'input'
        ? await this.desk.submit(runId, { amount: value }, this.people.get(by), digest)
        : await this.desk.decide(runId, value === true, this.people.get(by), digest);
    if (answered.outcome !== 'rejected') return answered.submission;
    const {
      code,
      toolName = '',
      reason = '',
    } = answered.rejection as { code: string; toolName?: string; reason?: string };
    return [code, toolName, reason].filter((word) => word !== '').join(' ');
  }

  async work(run: number): Promise<string> {
    const runId = this.runIds[run] as string;
    const came = await this.desk.work(runId);
    const state = await this.desk.state(runId);
    if ('pause' in state) this.digests[run]?.set(state.modelAnswers - 1, state.pause.turnDigest);
    if (came === 'not_claimable') return came;
    if (came !== 'released') return 'worked';
    const { reason, toolName = '' } = (await this.desk.last(runId, 'RunReleased')) ?? {};
    return `released ${reason} ${toolName}`.trim();
  }

  async telling(outcome: Promise<string>): Promise<string> {
    this.told(await outcome);
    return outcome;
  }

  /** How a run stands, what its calls came to, and what is recorded beside it. */
  async standing(run: number) {
    const runId = this.runIds[run] as string;
    const events = await this.desk.events(runId);
    const results = events.flatMap(({ type, data }) =>
      type === 'ToolCallCompleted' ? [[data.callId, data.refusal ?? data.outcome]] : [],
    );
    const refusals = this.remains.log.read(`refusal-${runId}`, 0).length;
    return { status: (await this.desk.state(runId)).status, results, refusals, revision: events.length };
  }
}
