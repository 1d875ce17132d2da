import type { Configuration, Configurations } from '../governance/configurations.js';
import type { LiveTool, LiveTools } from '../governance/live-tools.js';
import type { Principals } from '../governance/principals.js';
import { offeredTools, toolDenial } from '../governance/tool-gate.js';
import type { ModelClients } from '../models/model-clients.js';
import { type ModelAnswer, ModelCallFailed, type ModelRequest } from '../models/model-provider.js';
import type { RunProgress } from '../run/run-state.js';

/** The records that a run depends on, as they are at this moment (LIF-8). */
export interface RunSurroundings {
  readonly configurationId: string;
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
    private readonly models: ModelClients,
  ) {}

  /** @throws {StoreUnavailable} */
  async of(run: RunProgress): Promise<RunSurroundings> {
    const [configuration, owner, tools] = await Promise.all([
      this.configurations.read(run.configurationId),
      this.principals.find(run.ownerId),
      this.tools.all(),
    ]);
    return {
      configurationId: run.configurationId,
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

  /** @throws {ModelCallFailed} @throws {StoreUnavailable} */
  async ask(configurationId: string, request: ModelRequest): Promise<ModelAnswer> {
    const configuration = await this.configurations.open(configurationId);
    if (configuration === null) throw new ModelCallFailed('misconfigured');
    return this.models.clientFor(configuration.provider).ask(request);
  }
}
