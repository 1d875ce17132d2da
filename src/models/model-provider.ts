import type { JsonObject } from '../events/json.js';
import type { RunOptions, Usage } from '../events/run-events.js';

/*
 * What a run needs of a model: one question, one answer. Nothing here loops, retries or executes a tool; a client is
 * asked once for each step and says what came, or why nothing came.
 */

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
  /** Ends the call from our side (cancelled, lease lost, shutting down): `ask` then rejects with this signal's reason. */
  readonly signal: AbortSignal;
}

/** A call as the model made it: nothing is repaired here, LIF-3 and LIF-4 are applied by whoever records it. */
export interface AnsweredCall {
  /** As the provider gave it: possibly repeated or malformed, absent where it gave none. */
  readonly callId?: string;
  /** Possibly the name of no tool at all, and possibly empty. */
  readonly toolName: string;
  /**
   * The text as it came, possibly empty or no JSON. Its characters are well-formed: a lone surrogate stands as the
   * JSON escape that means the same, so that the text can be stored and hashed and is still refused when it is parsed.
   */
  readonly arguments: string;
}

export interface ModelAnswer {
  /** The model that answered, as the provider names it; the configured name where it gave none that looks like a name. */
  readonly model: string;
  readonly text: string;
  /** In the model's order. */
  readonly calls: readonly AnsweredCall[];
  /** Zeros where the provider reported none. */
  readonly usage: Usage;
}

/** One configured model behind one provider. */
export interface ModelClient {
  /**
   * Asks once, without retrying.
   *
   * @throws {ModelCallFailed} where the provider gave no answer that can be used
   * @throws the reason of `request.signal` where that was aborted
   */
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
  | 'misconfigured'
  /** Not called at all: the provider is left alone after failing again and again. */
  | 'circuit_open';

const RETRYABLE: ReadonlySet<ModelFailureClass> = new Set([
  'timeout',
  'rate_limited',
  'server_error',
  'connection',
  'circuit_open',
]);

/**
 * A model call that gave no answer, classified (CLM-5).
 *
 * It can be logged as it is: neither its message nor its cause holds anything that the provider sent or was sent. The
 * cause, where there is one, says in our own words what was seen (a status, a network code, which part was missing).
 */
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
