import type { LanguageModelV3, LanguageModelV3Content, LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import type { AnsweredCall, ModelAnswer, ModelClient, ModelRequest } from './model-provider.js';
import { ModelCallFailed } from './model-provider.js';
import { callOptionsOf } from './prompt.js';
import { wellFormed, wellFormedJsonText } from './well-formed-text.js';

/** What passes for a model's name. It is recorded in the clear (SEA-1), so it must not be a way to put content there. */
const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$/;

/**
 * A model of the AI SDK, asked once.
 *
 * It calls the model's `doGenerate` and not the SDK's `generateText`. The latter parses each call's arguments, marks or
 * repairs what does not parse, and writes error results of its own into the transcript; it would also retry and print
 * warnings. Here the run decides what a bad call means (LIF-3, LIF-4), so that it needs the text as it came, in order.
 */
export class LanguageModelClient implements ModelClient {
  constructor(
    private readonly model: LanguageModelV3,
    /** Bound of one whole call, connecting and reading included. */
    private readonly timeoutMs: number,
  ) {}

  async ask(request: ModelRequest): Promise<ModelAnswer> {
    request.signal.throwIfAborted();
    // Not `AbortSignal.any`: the listener is taken off again, however long the caller's signal lives.
    const call = new AbortController();
    const abort = () => call.abort();
    request.signal.addEventListener('abort', abort, { once: true });
    const deadline = setTimeout(abort, this.timeoutMs);
    try {
      return answerOf(await this.model.doGenerate(callOptionsOf(request, call.signal)), this.model.modelId);
    } catch (error) {
      request.signal.throwIfAborted();
      if (call.signal.aborted) throw new ModelCallFailed('timeout');
      throw classified(error);
    } finally {
      clearTimeout(deadline);
      request.signal.removeEventListener('abort', abort);
    }
  }
}

/**
 * What is left once the connection has classified its own failures is the SDK saying that it could not read the answer.
 * Its errors carry request and answer in their properties and messages, so that only their name goes on.
 */
function classified(error: unknown): ModelCallFailed {
  if (error instanceof ModelCallFailed) return error;
  const name = error instanceof Error && /^[A-Za-z_]{1,64}$/.test(error.name) ? error.name : 'unknown error';
  return new ModelCallFailed('malformed_answer', undefined, { cause: new Error(name) });
}

function answerOf(result: LanguageModelV3GenerateResult, configuredModel: string): ModelAnswer {
  const named = result.response?.modelId ?? '';
  return {
    model: MODEL_NAME.test(named) ? named : configuredModel,
    text: wellFormed(result.content.map(textOf).join('')),
    calls: result.content.flatMap(callsOf),
    usage: {
      inputTokens: tokens(result.usage.inputTokens.total),
      outputTokens: tokens(result.usage.outputTokens.total),
    },
  };
}

function textOf(part: LanguageModelV3Content): string {
  return part.type === 'text' ? part.text : '';
}

function callsOf(part: LanguageModelV3Content): AnsweredCall[] {
  if (part.type !== 'tool-call') return [];
  const { toolCallId, toolName, input } = part;
  return [
    {
      ...(toolCallId === '' ? {} : { callId: wellFormed(toolCallId) }),
      toolName: wellFormed(toolName),
      arguments: wellFormedJsonText(input),
    },
  ];
}

/** Counts are added up over a run (LIF-3): one that is no count would spoil the sum. */
function tokens(reported: number | undefined): number {
  return reported !== undefined && Number.isSafeInteger(reported) && reported >= 0 ? reported : 0;
}
