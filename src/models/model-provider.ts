import type { JsonObject } from '../events/json.js';
import type { RunOptions, Usage } from '../events/run-events.js';

/** One message of the transcript as a model sees it. */
export type PromptMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls: readonly PromptCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly toolName: string; readonly content: string };

export interface PromptCall {
  readonly callId: string;
  readonly toolName: string;
  /** The parsed object, or the text where it did not parse to an object. */
  readonly arguments: JsonObject | string;
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema 2020-12 of the arguments. */
  readonly parameters: JsonObject;
}

export interface ModelRequest {
  readonly messages: readonly PromptMessage[];
  /** Empty: the request carries no tools field at all (LIF-2). */
  readonly tools: readonly OfferedTool[];
  readonly options: RunOptions;
  /** How many model answers the run has already: 0 for its first. */
  readonly answerIndex: number;
  readonly signal: AbortSignal;
}

export interface ModelAnswer {
  /** The model that answered, as the provider names it. */
  readonly model: string;
  readonly text: string;
  /** In the model's order. `callId` as the model gave it, possibly missing, repeated or malformed; `arguments` the raw text. */
  readonly calls: readonly { readonly callId?: string; readonly toolName: string; readonly arguments: string }[];
  /** Zeros where the provider reported none. */
  readonly usage: Usage;
}

/** One configured model behind one provider. */
export interface ModelClient {
  /** @throws {ModelCallFailed} */
  ask(request: ModelRequest): Promise<ModelAnswer>;
}

export type ModelFailureClass =
  | 'timeout'
  | 'rate_limited'
  | 'server_error'
  | 'connection'
  | 'bad_request'
  | 'unauthorized'
  | 'not_found'
  | 'malformed_answer'
  | 'misconfigured';

const RETRYABLE: ReadonlySet<ModelFailureClass> = new Set(['timeout', 'rate_limited', 'server_error', 'connection']);

/** A model call that gave no answer, classified (CLM-5). Its message never holds what the provider sent. */
export class ModelCallFailed extends Error {
  override readonly name = 'ModelCallFailed';
  readonly retryable: boolean;
  constructor(
    readonly failureClass: ModelFailureClass,
    /** From `Retry-After`, when the provider said so; milliseconds. */
    readonly retryAfterMs?: number,
    options?: ErrorOptions,
  ) {
    super(`the model call failed: ${failureClass}`, options);
    this.retryable = RETRYABLE.has(failureClass);
  }
}
