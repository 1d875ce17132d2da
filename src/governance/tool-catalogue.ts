import type { JsonObject } from '../events/json.js';
import type { ToolEffect } from '../events/run-events.js';
import type { DataClass } from '../tools/tool.js';

/** A tool as administrators see it. */
export interface CataloguedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema 2020-12 of the arguments. */
  readonly parameters: JsonObject;
  /** Of the data that every call waits for; absent where none does. */
  readonly inputSchema?: JsonObject;
  readonly effect: ToolEffect;
  /** Whether every call waits for somebody's yes, declared or because of its effect. */
  readonly approval: boolean;
  readonly adminOnly: boolean;
  readonly dataClass: DataClass;
}

/** What tools this service has. */
export abstract class ToolCatalogue {
  abstract list(): readonly CataloguedTool[];
}
