/*
 * The rules of who may answer what, a second time and on their own: nothing of the service is imported here, so that both
 * would have to be wrong in the same way.
 */

export interface Person {
  readonly kind: 'person' | 'service_account';
  readonly enabled: boolean;
  readonly admin: boolean;
  /** `agent_approve` for a person, `agent:approve` for a service account. */
  readonly mayAnswer: boolean;
}

interface ToolSettings {
  readonly enabled: boolean;
  /** An operator wants every call to be approved. */
  readonly careful: boolean;
}

interface ToolNature {
  readonly writes: boolean;
  readonly adminOnly: boolean;
  readonly asks: boolean;
}

const NATURES: Readonly<Record<string, ToolNature>> = {
  look: { writes: false, adminOnly: false, asks: false },
  ledger: { writes: false, adminOnly: true, asks: false },
  ask: { writes: false, adminOnly: false, asks: true },
  refund: { writes: true, adminOnly: false, asks: false },
  payout: { writes: true, adminOnly: true, asks: false },
};

export const TOOL_NAMES = Object.keys(NATURES);

/** A name that no tool has. */
export const NOBODYS_TOOL = 'no_such_tool';

export interface Configuration {
  readonly allowedTools: readonly string[] | null;
  readonly requireSecondApprover: boolean;
}

interface Call {
  readonly callId: string;
  readonly toolName: string;
  readonly becomes: 'run' | 'input' | 'approval' | 'not_offered';
}

export interface Answer {
  readonly kind: 'input' | 'approval';
  readonly by: string;
  /** An amount, or yes or no; anything else fits no schema. */
  readonly value: number | boolean | string;
  /** The number of the turn that it names; null: none that there ever was. */
  readonly turn: number | null;
}

type Status = 'queued' | 'waiting_for_input' | 'waiting_for_approval' | 'completed';

export interface ExpectedRun {
  readonly owner: string;
  status: Status;
  /** Model answers so far; the number of the latest turn is one less. */
  answers: number;
  calls: readonly Call[];
  answer: Answer | null;
  readonly answered: Map<number, Answer>;
  /** What came of each call that has a result. */
  readonly results: [callId: string, result: string][];
  refusals: number;
}

export class RuleBook {
  readonly people = new Map<string, Person>();
  readonly tools = new Map<string, ToolSettings>(TOOL_NAMES.map((name) => [name, { enabled: true, careful: false }]));
  configuration: Configuration = { allowedTools: null, requireSecondApprover: false };
  readonly runs: ExpectedRun[] = [];

  /** @param script what the model calls, turn by turn; behind its end it says that it is done */
  constructor(readonly script: readonly (readonly string[])[]) {}

  start(owner: string): void {
    this.runs.push({
      owner,
      status: 'queued',
      answers: 0,
      calls: [],
      answer: null,
      answered: new Map(),
      results: [],
      refusals: 0,
    });
  }

  /** What an answer comes to: a code, with the tool and the reason where there are any. */
  judge(run: ExpectedRun, answer: Answer): string {
    const person = this.people.get(answer.by) as Person;
    const reaches =
      person.enabled && (person.mayAnswer || (person.kind === 'person' && (person.admin || run.owner === answer.by)));
    if (!reaches) return 'run_not_found';
    const earlier = answer.turn === null ? undefined : run.answered.get(answer.turn);
    if (earlier !== undefined) {
      const same = earlier.kind === answer.kind && earlier.by === answer.by && earlier.value === answer.value;
      return same ? 'replayed' : 'already_answered';
    }
    if (run.status === 'completed') return 'run_settled';
    if (run.status !== `waiting_for_${answer.kind}`) return `not_awaiting_${answer.kind}`;
    if (answer.turn !== run.answers - 1) return 'stale_turn';
    const refusal = this.refusal(run, answer);
    if (refusal !== null) {
      run.refusals += 1;
      return refusal;
    }
    if (answer.kind === 'input' && typeof answer.value !== 'number') return 'invalid_input';
    run.answer = answer;
    run.answered.set(answer.turn, answer);
    run.status = 'queued';
    return 'accepted';
  }

  /** What a worker comes to that takes the run up. */
  work(run: ExpectedRun): string {
    if (run.status !== 'queued') return 'not_claimable';
    const refusal = run.answer === null ? null : this.refusal(run, run.answer);
    if (refusal !== null && run.answer !== null) {
      run.status = `waiting_for_${run.answer.kind}`;
      run.answered.delete(run.answers - 1);
      run.answer = null;
      return `released ${refusal.split(' ').slice(0, 2).join(' ')}`.trim();
    }
    this.execute(run);
    while (run.status === 'queued') this.askModel(run);
    return 'worked';
  }

  private refusal(run: ExpectedRun, answer: Answer): string | null {
    const person = this.people.get(answer.by) as Person;
    const could = run.calls.filter(({ becomes }) => becomes !== 'not_offered').map(({ toolName }) => toolName);
    if (answer.kind === 'input') {
      if (person.kind === 'service_account') return `submitter_not_permitted ${could[0]} service_account`;
      return this.firstDenial('submitter_not_permitted', could, person);
    }
    if (answer.value === false) return null;
    if (this.configuration.requireSecondApprover && answer.by === run.owner) return 'self_approval';
    const writes = could.filter((name) => NATURES[name]?.writes);
    if (writes.length === 0) return person.enabled ? null : `approver_not_permitted ${could[0]} principal_disabled`;
    if (person.kind === 'service_account') return `approver_not_permitted ${writes[0]} service_account`;
    return this.firstDenial('approver_not_permitted', writes, person);
  }

  private firstDenial(code: string, toolNames: readonly string[], person: Person): string | null {
    for (const toolName of toolNames) {
      const denial = this.denial(toolName, person);
      if (denial !== null) return `${code} ${toolName} ${denial}`;
    }
    return null;
  }

  private denial(toolName: string, person: Person): string | null {
    if (!person.enabled) return 'principal_disabled';
    if (this.tools.get(toolName)?.enabled !== true) return 'tool_disabled';
    const { allowedTools } = this.configuration;
    if (allowedTools !== null && !allowedTools.includes(toolName)) return 'not_allowed_by_configuration';
    return NATURES[toolName]?.adminOnly && !(person.admin && person.kind === 'person') ? 'admins_only' : null;
  }

  /** Everything of the turn that waited, now that it is answered. */
  private execute(run: ExpectedRun): void {
    for (const call of run.calls) run.results.push([call.callId, this.resultOf(call, run)]);
    run.calls = [];
    run.answer = null;
  }

  private resultOf({ toolName, becomes }: Call, { answer, owner }: ExpectedRun): string {
    const approved = answer?.kind === 'approval';
    if (approved && answer.value === false) return 'denied';
    if (becomes === 'not_offered') return toolName === NOBODYS_TOOL ? 'unknown_tool' : 'not_offered';
    if (becomes === 'input' && answer?.kind !== 'input') return 'input_not_provided';
    if (this.denial(toolName, this.people.get(owner) as Person) !== null) return 'no_longer_permitted';
    return this.isBound(toolName) && !approved ? 'not_approved' : 'ok';
  }

  private askModel(run: ExpectedRun): void {
    const owner = this.people.get(run.owner) as Person;
    const offered = TOOL_NAMES.filter((name) => this.denial(name, owner) === null);
    const turn = run.answers;
    run.answers += 1;
    run.calls = (this.script[turn] ?? []).map((toolName, index) => ({
      callId: `t${turn}_${index}`,
      toolName,
      becomes: offered.includes(toolName) ? this.becomes(toolName) : 'not_offered',
    }));
    const waits = (['approval', 'input'] as const).find((kind) => run.calls.some(({ becomes }) => becomes === kind));
    if (run.calls.length === 0 || offered.length === 0) {
      this.execute(run);
      run.status = 'completed';
    } else if (waits === undefined) {
      this.execute(run);
    } else {
      run.status = `waiting_for_${waits}`;
    }
  }

  private becomes(toolName: string): Call['becomes'] {
    if (this.isBound(toolName)) return 'approval';
    return NATURES[toolName]?.asks ? 'input' : 'run';
  }

  private isBound(toolName: string): boolean {
    return NATURES[toolName]?.writes === true || this.tools.get(toolName)?.careful === true;
  }
}
