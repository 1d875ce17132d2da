import { Injectable } from '@nestjs/common';
import { isApprovalBound } from '../tools/tool.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import { type CataloguedTool, ToolCatalogue } from './tool-catalogue.js';

/** The tools that were found at start-up, with what follows from their declarations spelled out. */
@Injectable()
export class RegisteredTools extends ToolCatalogue {
  constructor(private readonly registry: ToolRegistry) {
    super();
  }

  override list(): readonly CataloguedTool[] {
    return this.registry.declarations().map((tool) => ({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      ...(tool.inputSchema === undefined ? {} : { inputSchema: tool.inputSchema }),
      effect: tool.effect,
      approval: isApprovalBound(tool),
      adminOnly: tool.adminOnly === true,
      dataClass: tool.dataClass ?? 'secret_adjacent',
    }));
  }
}
