import type { RegisteredTool, ToolDeclaration } from '../../src/tools/tool.js';
import { ToolRegistry } from '../../src/tools/tool-registry.js';

/** A registry as it would be after a restart without some of its tools. */
export class RemovableTools extends ToolRegistry {
  readonly removed = new Set<string>();

  override find(name: string): RegisteredTool | undefined {
    return this.removed.has(name) ? undefined : super.find(name);
  }

  override has(name: string): boolean {
    return !this.removed.has(name) && super.has(name);
  }

  override declarations(): ToolDeclaration[] {
    return super.declarations().filter(({ name }) => !this.removed.has(name));
  }
}
