import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import canonicalize from 'canonicalize';
import { keyedDigest } from '../event-store/sealing.js';
import { Streams } from '../event-store/streams.js';
import type { JsonValue } from '../events/json.js';
import { runStream } from '../events/run-events.js';
import { reaches } from '../governance/access.js';
import { Configurations } from '../governance/configurations.js';
import { Principals } from '../governance/principals.js';
import { answeredTurn, decideSubmitInput, type SubmitFacts, valuesByCall } from '../run/decisions/submit-input.js';
import { runFold } from '../run/evolve.js';
import { exceededBound } from '../run/json-bounds.js';
import type { RunState } from '../run/run-state.js';
import { openPause } from '../run-content/open-pause.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import { reachable } from './cancel-run.handler.js';
import { resultOf } from './result-of.js';
import { SubmitInput } from './submit-input.command.js';
import { submitterRefusal } from './submitter-refusal.js';

@CommandHandler(SubmitInput)
export class SubmitInputHandler implements ICommandHandler<SubmitInput> {
  constructor(
    private readonly streams: Streams,
    private readonly configurations: Configurations,
    private readonly principals: Principals,
    private readonly tools: ToolRegistry,
  ) {}

  async execute(command: SubmitInput) {
    const { principal, runId, turnDigest, values, correlationId } = command;
    const executed = await this.streams.execute(
      runStream(runId),
      runFold,
      { actor: { kind: 'principal', id: principal.id }, correlationId },
      ({ state }) => this.gather(state, command),
      (state, facts: SubmitFacts) => decideSubmitInput(state, { principalId: principal.id, turnDigest, values }, facts),
    );
    return resultOf(runId, executed);
  }

  private async gather(state: RunState, command: SubmitInput): Promise<SubmitFacts> {
    if (state.status === 'not_started') return NOTHING_FOUND;
    const waiting = state.status === 'waiting_for_input';
    const [configuration, submitter] = await Promise.all([
      this.configurations.read(state.configurationId),
      // Looked up again: what was true when the request was authenticated may not be true any more (SUB-6).
      this.principals.find(command.principal.id),
    ]);
    return {
      reaches: reaches(command.principal, 'answer', reachable(state)),
      answerMac: await this.answerMac(state, command),
      pause: waiting ? ((await openPause(this.streams, state)).pause === 'sound' ? 'sound' : 'corrupt') : 'none',
      configurationExists: configuration !== null,
      submitterRefusal:
        waiting && configuration !== null && state.turn !== null
          ? submitterRefusal(
              state.turn,
              state.pause,
              (name) => this.tools.find(name)?.declaration,
              configuration,
              submitter,
            )
          : null,
      ceilingRefusal: null,
    };
  }

  /** Recognises the repeat of an answer, of this turn or of one answered long ago, without keeping the values. */
  private async answerMac(
    state: Exclude<RunState, { status: 'not_started' }>,
    { turnDigest, values }: SubmitInput,
  ): Promise<string | null> {
    const open = state.status === 'waiting_for_input' ? state.pause.requests.map(({ callId }) => callId) : [];
    const callIds = answeredTurn(state, turnDigest)?.callIds ?? open;
    const posted = valuesByCall(callIds, values);
    if (posted === null || exceededBound(posted, RECOGNISABLE) !== undefined) return null;
    const { outcome } = await this.streams.keys.find(runStream(state.runId));
    return outcome === undefined
      ? null
      : keyedDigest(outcome, 'answer', canonicalize([turnDigest, posted] as JsonValue) ?? '');
  }
}

/** Far above what an answer may have (the schema check says so to whoever posted it); bounds the work of the digest. */
const RECOGNISABLE = { maxDepth: 256, maxNodes: 100_000 };

const NOTHING_FOUND: SubmitFacts = {
  reaches: false,
  answerMac: null,
  pause: 'none',
  configurationExists: false,
  submitterRefusal: null,
  ceilingRefusal: null,
};
