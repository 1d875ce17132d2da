import { type ContextRefusal, isAbove } from '../governance/ceiling.js';
import type { Configuration, Configurations, OpenConfiguration } from '../governance/configurations.js';
import type { ContextGate } from '../governance/context-gate.js';
import type { LiveTool, LiveTools } from '../governance/live-tools.js';
import type { Principals } from '../governance/principals.js';
import { classOfTool, offeredTools, toolDenial } from '../governance/tool-gate.js';
import type { ModelClients } from '../models/model-clients.js';
import { type ModelAnswer, ModelCallFailed, type ModelRequest } from '../models/model-provider.js';
import type { RunProgress } from '../run/run-state.js';

/** The records that a run depends on, as they are at this moment (LIF-8). */
export interface RunSurroundings {
  /** Null where it was deleted. */
  readonly configuration: Configuration | null;
  /** What the next model call is offered. */
  readonly offered: readonly LiveTool[];
  /** A registered tool, whether or not it may run. */
  find(toolName: string): LiveTool | undefined;
  /** A tool that the owner's gate admits now; null where it does not (LIF-5, APP-3). */
  admitted(toolName: string): LiveTool | null;
}

/** Provider, tools, classes and permissions of a run, looked up live, never remembered by a run. */
export class LiveRecords {
  constructor(
    private readonly configurations: Configurations,
    private readonly principals: Principals,
    private readonly tools: LiveTools,
    private readonly models: Pick<ModelClients, 'clientFor'>,
    private readonly context: ContextGate,
  ) {}

  /** @throws {StoreUnavailable} */
  async of(run: RunProgress): Promise<RunSurroundings> {
    const [configuration, owner, tools] = await Promise.all([
      this.configurations.read(run.configurationId),
      this.principals.find(run.ownerId),
      this.tools.all(),
    ]);
    return {
      configuration,
      offered: configuration === null ? [] : offeredTools(tools.values(), configuration, owner, run.allowedTools),
      find: (name) => tools.get(name),
      admitted: (name) => {
        const tool = tools.get(name);
        const denied = configuration === null || toolDenial(tool, configuration, owner) !== null;
        return denied || tool === undefined ? null : tool;
      },
    };
  }

  isRegistered(toolName: string): boolean {
    return this.tools.has(toolName);
  }

  /**
   * Asks the configuration's providers, one behind the other for as long as their failures can be retried. Before each
   * of them everything is looked up anew: what is in the prompt may have become too sensitive while the one before it
   * was silent (SRC-2), and where the step was decided on other records than those of now, it has to be decided again.
   *
   * @param passedOver hears of each failure but the last
   * @throws {ModelCallFailed} the failure of the last provider that was asked @throws {StoreUnavailable}
   */
  async ask(
    run: RunProgress,
    { configuration: known, offered }: RunSurroundings,
    request: ModelRequest,
    passedOver: (failure: ModelCallFailed) => void,
  ): Promise<Asked> {
    for (let hop = 0; ; hop += 1) {
      const configuration = await this.configurations.open(run.configurationId);
      if (configuration === null || known === null) return this.unopened(run.configurationId);
      const ceiling = await this.configurations.ceilingOf(configuration);
      const sameRecords =
        configuration.revision === known.revision && ceiling.enforcement === known.ceiling.enforcement;
      if (!sameRecords) return { outcome: 'changed' };
      const context = await this.context.judge({ ...configuration, ceiling }, run);
      if (context.verdict === 'blocked') return { outcome: 'blocked', over: context.over };
      const [provider, ...others] = providersOf(configuration).slice(hop);
      if (provider === undefined) throw new ModelCallFailed('misconfigured');
      try {
        const answer = await this.models.clientFor(provider).ask(request);
        const toolsAbove =
          request.tools.length > 0 && offered.some(({ declaration }) => isAbove(ceiling, classOfTool(declaration)));
        return { outcome: 'answered', answer, contextObserved: context.verdict === 'observed' || toolsAbove };
      } catch (error) {
        if (request.signal.aborted || others.length === 0) throw error;
        if (!(error instanceof ModelCallFailed && error.retryable)) throw error;
        passedOver(error);
      }
    }
  }

  /** Gone since the step was decided; or there, and its content does not open any more, which no next try would mend. */
  private async unopened(configurationId: string): Promise<Asked> {
    if ((await this.configurations.read(configurationId)) === null) return { outcome: 'changed' };
    throw new ModelCallFailed('misconfigured');
  }
}

/** What came of asking for an answer. */
export type Asked =
  /** `contextObserved`: something exceeded the ceiling and was sent, because that is only observed (SRC-7). */
  | { readonly outcome: 'answered'; readonly answer: ModelAnswer; readonly contextObserved: boolean }
  | { readonly outcome: 'blocked'; readonly over: ContextRefusal }
  /** The records are not those on which the step was decided. */
  | { readonly outcome: 'changed' };

function providersOf({ provider, fallbacks }: OpenConfiguration) {
  return [provider, ...fallbacks.map((fallback) => fallback.provider)];
}
