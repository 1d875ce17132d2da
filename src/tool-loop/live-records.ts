import type { Configuration, OpenConfiguration } from '../governance/configurations.js';
import type { Principal } from '../governance/principal.js';
import { offeredTools, toolDenial } from '../governance/tool-gate.js';
import type { ModelClients } from '../models/model-clients.js';
import { type ModelAnswer, ModelCallFailed, type ModelRequest } from '../models/model-provider.js';
import type { RunProgress } from '../run/run-state.js';
import type { RegisteredTool, ToolDeclaration } from '../tools/tool.js';
import type { ToolRegistry } from '../tools/tool-registry.js';

/** The records that a run depends on, as they are at this moment (LIF-8). */
export interface RunSurroundings {
  readonly configurationId: string;
  /** Null where it was deleted. */
  readonly configuration: Configuration | null;
  /** What the next model call is offered. */
  readonly offered: readonly ToolDeclaration[];
  /** A registered tool, whether or not it may run. */
  find(toolName: string): RegisteredTool | undefined;
  /** A tool that the owner's gate admits now; null where it does not (LIF-5, APP-3). */
  admitted(toolName: string): RegisteredTool | null;
}

/** What is asked of governance; looked up anew for every step, never remembered by a run. */
export interface ConfigurationLookUp {
  read(id: string): Promise<Configuration | null>;
  open(id: string): Promise<OpenConfiguration | null>;
}

export interface PrincipalLookUp {
  find(id: string): Promise<Principal | null>;
}

/** Provider, tools, classes and permissions of a run, looked up live. */
export class LiveRecords {
  constructor(
    private readonly configurations: ConfigurationLookUp,
    private readonly directory: PrincipalLookUp,
    readonly tools: ToolRegistry,
    private readonly models: ModelClients,
  ) {}

  async of(run: RunProgress): Promise<RunSurroundings> {
    const [configuration, owner] = await Promise.all([
      this.configurations.read(run.configurationId),
      this.directory.find(run.ownerId),
    ]);
    const { tools } = this;
    const offered =
      configuration === null ? [] : offeredTools(tools.declarations(), configuration, owner, run.allowedTools);
    return {
      configurationId: run.configurationId,
      configuration,
      offered,
      find: (name) => tools.find(name),
      admitted: (name) => {
        const tool = tools.find(name);
        const denied = configuration === null || toolDenial(tool?.declaration, configuration, owner) !== null;
        return denied || tool === undefined ? null : tool;
      },
    };
  }

  /** @throws {ModelCallFailed} */
  async ask(configurationId: string, request: ModelRequest): Promise<ModelAnswer> {
    const configuration = await this.configurations.open(configurationId);
    if (configuration === null) throw new ModelCallFailed('misconfigured');
    return this.models.clientFor(configuration.provider).ask(request);
  }
}
