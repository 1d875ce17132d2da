import { Injectable } from '@nestjs/common';
import { type LiveTool, LiveTools } from './live-tools.js';
import { type CataloguedTool, ToolCatalogue } from './tool-catalogue.js';
import { classOfTool } from './tool-gate.js';

/** The tools that were found at start-up and what operators have set for them, with what follows spelled out. */
@Injectable()
export class RegisteredTools extends ToolCatalogue {
  constructor(private readonly tools: LiveTools) {
    super();
  }

  override has(name: string): boolean {
    return this.tools.has(name);
  }

  override async list(): Promise<readonly CataloguedTool[]> {
    return [...(await this.tools.all()).values()].map(catalogued);
  }
}

function catalogued({
  declaration,
  enabled,
  approvalBound,
  operatorApproval,
  switchRevision,
}: LiveTool): CataloguedTool {
  const { name, description, parameters, inputSchema, effect, adminOnly, remote } = declaration;
  return {
    name,
    description,
    parameters,
    ...(inputSchema === undefined ? {} : { inputSchema }),
    effect,
    enabled,
    approval: approvalBound,
    operatorApproval,
    revision: switchRevision,
    adminOnly: adminOnly === true,
    remote: remote === true,
    dataClass: classOfTool(declaration),
  };
}
