import { Injectable } from '@nestjs/common';
import { isApprovalBound, type RegisteredTool } from '../tools/tool.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import { RecordReader } from './records.js';
import type { GatedTool } from './tool-gate.js';
import { TOOL_SWITCH } from './tool-switch-record.js';

/** A registered tool together with what operators have set for it, as of one moment. */
export interface LiveTool extends RegisteredTool, GatedTool {
  /** Whether a call needs somebody's yes, by declaration or because an operator wants it (APP-1). */
  readonly approvalBound: boolean;
  /** What the operator has set; null: as declared. */
  readonly operatorApproval: boolean | null;
  /** Revision of the event that put what operators have set; null where nobody has. */
  readonly switchRevision: number | null;
}

export type LiveToolsByName = ReadonlyMap<string, LiveTool>;

/** The tools as they are now: declarations from start-up, switches from their records. */
@Injectable()
export class LiveTools {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly records: RecordReader,
  ) {}

  /** Whether a name is that of a registered tool; says nothing of switches. */
  has(name: string): boolean {
    return this.registry.has(name);
  }

  /** Those of the names that are registered. @throws {StoreUnavailable} */
  async named(names: Iterable<string>): Promise<LiveToolsByName> {
    const registered = [...new Set(names)].flatMap((name) => this.registry.find(name) ?? []);
    const live = await Promise.all(registered.map((tool) => this.withSwitch(tool)));
    return new Map(live.map((tool) => [tool.declaration.name, tool]));
  }

  /** All of them, in the order of registration. @throws {StoreUnavailable} */
  async all(): Promise<LiveToolsByName> {
    return this.named(this.registry.declarations().map(({ name }) => name));
  }

  private async withSwitch(tool: RegisteredTool): Promise<LiveTool> {
    const { document } = (await this.records.read(TOOL_SWITCH, tool.declaration.name)).state;
    const operatorApproval = document?.data.approval ?? null;
    return {
      ...tool,
      enabled: document?.data.enabled ?? true,
      operatorApproval,
      switchRevision: document?.revision ?? null,
      approvalBound: isApprovalBound(tool.declaration, operatorApproval),
    };
  }
}
