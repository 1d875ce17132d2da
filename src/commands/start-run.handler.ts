import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import canonicalize from 'canonicalize';
import { keyedDigest } from '../event-store/sealing.js';
import { Streams } from '../event-store/streams.js';
import { type RunMessage, runStream } from '../events/run-events.js';
import { Configurations, type OpenConfiguration } from '../governance/configurations.js';
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
      messages: assemble(configuration, request.messages),
      sourceIds: [],
      skippedSourceIds: [],
      requestMac: idempotencyKey === null ? null : await this.requestMac(stream, request),
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

/** The prompt: the configuration's system prompt first, then what the caller gave, in their order (LIF-8). */
function assemble(configuration: OpenConfiguration | null, messages: readonly RunMessage[]): RunMessage[] {
  const systemPrompt = configuration?.systemPrompt ?? null;
  return systemPrompt === null ? [...messages] : [{ role: 'system', content: systemPrompt }, ...messages];
}
