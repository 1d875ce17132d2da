import type { JsonObject, JsonValue } from '../events/json.js';
import type { ToolEffect } from '../events/run-events.js';

/** From least to most sensitive (SRC-1). */
export const DATA_CLASSES = [
  'public',
  'internal',
  'source_code',
  'configuration',
  'diagnostics',
  'secret_adjacent',
] as const;
export type DataClass = (typeof DATA_CLASSES)[number];

/** What a tool says of itself; fixed from start-up on. */
export interface ToolDeclaration {
  /** `[A-Za-z0-9_-]{1,64}`, unique. */
  readonly name: string;
  /** For the model: what the tool does and when to call it. */
  readonly description: string;
  /** JSON Schema 2020-12 of the arguments as they are executed, a person's values included. */
  readonly parameters: JsonObject;
  /** What a call does to the world. Every tool declares it; a local write needs approval (APP-1). */
  readonly effect: ToolEffect;
  /** Makes every call wait for typed data from a person: an object schema with at least one property (INP-1, INP-5). */
  readonly inputSchema?: JsonObject;
  /** Makes every call wait for a yes or no, whatever its effect. */
  readonly approval?: boolean;
  /**
   * Says that somebody else's server executes it. What that server says of effects is not taken on trust: every call waits
   * for a yes or no until an operator says otherwise (APP-1), and an observed ceiling still holds its results (SRC-7).
   */
  readonly remote?: boolean;
  /** Only runs of admins are offered it, and only admins can answer for it. */
  readonly adminOnly?: boolean;
  /** Class of what it returns; a tool that declares none is `secret_adjacent` (SRC-8). */
  readonly dataClass?: DataClass;
}

/** Whose run it is, which call, and how to notice that the result is no longer wanted. */
export interface ToolCallContext {
  readonly runId: string;
  readonly callId: string;
  /** The run's owner, under whose identity the tool runs, whoever answered (SUB-8, INP-14). */
  readonly ownerId: string;
  /** The same on every attempt at this call: give it to whatever the tool writes to. */
  readonly idempotencyKey: string;
  /** Fires when the run was cancelled, was lost to another worker, or the service stops. */
  readonly signal: AbortSignal;
}

/** A class that does what a declaration promises. Its arguments are untrusted, however well formed (INP-14). */
export interface ToolImplementation {
  /** The result as the model reads it: a string as it is, anything else as JSON; cut at 128 KiB. */
  execute(args: JsonObject, context: ToolCallContext): Promise<JsonValue> | JsonValue;
  /** What the call would do, line by line, for the person who approves it: at most 20 lines of 500 characters (APP-4). */
  preview?(args: JsonObject, context: ToolCallContext): Promise<readonly string[]> | readonly string[];
}

export interface RegisteredTool {
  readonly declaration: ToolDeclaration;
  readonly implementation: ToolImplementation;
}

/**
 * Thrown by a tool that wants the model to read why, in the tool's own words. Any other error reaches the model as the
 * bare fact that the tool failed (LIF-4).
 */
export class ToolFault extends Error {
  override readonly name = 'ToolFault';
}

/**
 * Whether a call of the tool needs somebody's yes: the one predicate behind APP-1, INP-7 and INP-8.
 *
 * @param operatorWantsApproval what an operator has set for it; null: nothing
 */
export function isApprovalBound(tool: ToolDeclaration, operatorWantsApproval: boolean | null): boolean {
  if (tool.approval === true || operatorWantsApproval === true) return true;
  // An operator can ask for more care than a local tool declares, never for less.
  return tool.remote === true ? operatorWantsApproval !== false : tool.effect !== 'read_only';
}
