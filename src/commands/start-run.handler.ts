import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import canonicalize from 'canonicalize';
import { keyedDigest } from '../event-store/sealing.js';
import { Streams } from '../event-store/streams.js';
import { type RunMessage, runStream } from '../events/run-events.js';
import { refusalOf } from '../governance/ceiling.js';
import { Configurations, type OpenConfiguration } from '../governance/configurations.js';
import { ContextGate } from '../governance/context-gate.js';
import { sourceNames } from '../governance/source-record.js';
import { type OpenSource, Sources } from '../governance/sources.js';
import { decideStartRun, type StartFacts, type StartRun as StartRunDecision } from '../run/decisions/start-run.js';
import { runFold } from '../run/evolve.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import { resultOf } from './result-of.js';
import { ServerSecret } from './server-secret.js';
import { StartRun, type StartRunRequest } from './start-run.command.js';

@CommandHandler(StartRun)
export class StartRunHandler implements ICommandHandler<StartRun> {
  constructor(
    private readonly streams: Streams,
    private readonly configurations: Configurations,
    private readonly tools: ToolRegistry,
    private readonly secret: ServerSecret,
    private readonly sources: Sources,
    private readonly context: ContextGate,
  ) {}

  async execute({ principal, request, idempotencyKey, correlationId }: StartRun) {
    const runId = idempotencyKey === null ? this.freshRunId() : this.secret.runIdFor(principal.id, idempotencyKey);
    const stream = runStream(runId);
    const { messages: _messages, ...terms } = request;
    const decided: StartRunDecision = { ownerId: principal.id, ...terms };
    const executed = await this.streams.execute(
      stream,
      runFold,
      { actor: { kind: 'principal', id: principal.id }, correlationId },
      () => this.gather(stream, request, idempotencyKey),
      (state, facts: StartFacts) => decideStartRun(state, decided, facts),
    );
    return resultOf(runId, executed);
  }

  private async gather(stream: string, request: StartRunRequest, idempotencyKey: string | null): Promise<StartFacts> {
    const configuration = await this.configurations.open(request.configurationId);
    return {
      configurationExists: configuration !== null,
      unknownTools: (request.allowedTools ?? []).flatMap((name, place) => (this.tools.has(name) ? [] : [place])),
      ...(configuration === null ? NO_PROMPT : await this.assemble(configuration, request)),
      requestMac: idempotencyKey === null ? null : await this.requestMac(stream, request),
    };
  }

  /** The prompt, and whether it may go where the configuration leads: a run that may not begin does not exist (SRC-6). */
  private async assemble(configuration: OpenConfiguration, request: StartRunRequest): Promise<PromptFacts> {
    const { forcedSnippetIds, forcedSkillIds, messages } = request;
    const { used, skipped } = await this.sources.forPrompt([
      ...sourceNames(configuration.snippetIds, configuration.skillIds),
      ...sourceNames(forcedSnippetIds, forcedSkillIds),
    ]);
    const sourceIds = used.map(({ source }) => source);
    const ceiling = await this.configurations.ceilingOf(configuration);
    const run = { sourceIds, forcedSnippetIds, forcedSkillIds };
    const prompt = promptOf(configuration, used, messages);
    return {
      messages: prompt,
      promptBytes: Buffer.byteLength(JSON.stringify(prompt)),
      sourceIds,
      skippedSourceIds: skipped,
      ceilingRefusal: refusalOf(await this.context.judge({ ...configuration, ceiling }, run)),
    };
  }

  /** Under the run's outcome key: once that is destroyed nothing about the request can be guessed from the digest. */
  private async requestMac(stream: string, request: StartRunRequest): Promise<string | null> {
    const { outcome } = await this.streams.keys.create(stream);
    return outcome === undefined ? null : keyedDigest(outcome, 'request', canonicalize(request) ?? '');
  }

  private freshRunId(): string {
    return Buffer.from(this.streams.entropy.token(16), 'base64url').toString('hex');
  }
}

type PromptFacts = Pick<StartFacts, 'messages' | 'promptBytes' | 'sourceIds' | 'skippedSourceIds' | 'ceilingRefusal'>;

const NO_PROMPT: PromptFacts = {
  messages: [],
  promptBytes: 0,
  sourceIds: [],
  skippedSourceIds: [],
  ceilingRefusal: null,
};

/** The configuration's system prompt first, then the sources, then what the caller gave, in their orders (LIF-8). */
function promptOf(
  { systemPrompt }: OpenConfiguration,
  sources: readonly OpenSource[],
  messages: readonly RunMessage[],
): RunMessage[] {
  const leading = [...(systemPrompt === null ? [] : [systemPrompt]), ...sources.map(({ content }) => content)];
  return [...leading.map((content): RunMessage => ({ role: 'system', content })), ...messages];
}
