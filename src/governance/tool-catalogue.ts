import type { JsonObject } from '../events/json.js';
import type { ToolEffect } from '../events/run-events.js';
import { DATA_CLASSES, type DataClass } from '../tools/tool.js';

export { DATA_CLASSES, type DataClass };

/** A tool as administrators see it. */
export interface CataloguedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema 2020-12 of the arguments. */
  readonly parameters: JsonObject;
  /** Of the data that every call waits for; absent where none does. */
  readonly inputSchema?: JsonObject;
  readonly effect: ToolEffect;
  /** False: offered to nobody, executed for nobody. */
  readonly enabled: boolean;
  /** Whether every call waits for somebody's yes: declared, because of its effect, or because an operator wants it. */
  readonly approval: boolean;
  /** What an operator has set; null: nothing. */
  readonly operatorApproval: boolean | null;
  /** Of what an operator has set, by which its next editor names it; null: nothing. */
  readonly revision: number | null;
  readonly adminOnly: boolean;
  /** Whether somebody else's server executes it. */
  readonly remote: boolean;
  readonly dataClass: DataClass;
}

/** What tools this service has. */
export abstract class ToolCatalogue {
  /** Whether a tool of the name is registered, whatever operators have set for it. */
  abstract has(name: string): boolean;

  /** @throws {StoreUnavailable} */
  abstract list(): Promise<readonly CataloguedTool[]>;
}
