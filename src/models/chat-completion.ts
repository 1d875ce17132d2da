import { isJsonObject, type JsonObject, type JsonValue } from '../events/json.js';
import { failureOfStatus } from './failure-class.js';
import { ModelCallFailed } from './model-provider.js';

/*
 * Servers that call themselves compatible differ in what they leave out or put in another type, and the SDK refuses a
 * whole answer for one such member. This reduces an answer to the members that we use, in the types that the format
 * gives them. What the model said is not touched: a call that is no good stays a call, since it is the model that is to
 * hear of it (LIF-4).
 */

/**
 * The answer as the chat-completions format specifies it. A call without an id gets an empty one, where the SDK would
 * invent one that looks like the provider's; a call without a name gets an empty name.
 *
 * @throws {ModelCallFailed} `malformed_answer` where the text is no JSON or holds no message with anything in it; the
 *   class of the status where it is an error that was sent with status 200, as some gateways do
 */
export function specifiedCompletion(text: string): string {
  const completion = parsed(text);
  if (!isJsonObject(completion)) throw malformed('the answer is no JSON object');
  const choice = Array.isArray(completion.choices) ? completion.choices[0] : undefined;
  const message = isJsonObject(choice) ? choice.message : undefined;
  if (!isJsonObject(message)) throw statusSentAsSuccess(completion) ?? malformed('the answer holds no message');
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map(specifiedCall) : [];
  const content = specifiedContent(message.content);
  const refusal = typeof message.refusal === 'string' && message.refusal !== '' ? message.refusal : null;
  // An empty text is an answer: a model may have nothing to add. No text at all is none.
  if (content === null && refusal === null && calls.length === 0) throw malformed('the message is empty');
  return JSON.stringify({
    model: typeof completion.model === 'string' ? completion.model : null,
    choices: [{ index: 0, message: { role: 'assistant', content, refusal, tool_calls: calls } }],
    usage: specifiedUsage(completion.usage),
  });
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw malformed(text.trim() === '' ? 'the answer is empty' : 'the answer is no JSON');
  }
}

function malformed(seen: string): ModelCallFailed {
  return new ModelCallFailed('malformed_answer', undefined, { cause: new Error(seen) });
}

function statusSentAsSuccess({ error }: JsonObject): ModelCallFailed | undefined {
  const code = isJsonObject(error) ? Number(error.code) : Number.NaN;
  return Number.isInteger(code) && code >= 400 && code <= 599 ? failureOfStatus(code) : undefined;
}

function specifiedCall(call: JsonValue): JsonObject {
  const { id, function: called } = isJsonObject(call) ? call : {};
  const { name, arguments: written } = isJsonObject(called) ? called : {};
  return {
    id: typeof id === 'string' ? id : '',
    type: 'function',
    function: { name: typeof name === 'string' ? name : '', arguments: argumentsText(written) },
  };
}

/** Some servers send the arguments as the object that their text should have been. */
function argumentsText(written: JsonValue | undefined): string {
  if (typeof written === 'string') return written;
  return written === undefined || written === null ? '' : JSON.stringify(written);
}

function specifiedContent(content: JsonValue | undefined): JsonValue {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  return content.filter((part) => isJsonObject(part) && part.type === 'text' && typeof part.text === 'string');
}

function specifiedUsage(usage: JsonValue | undefined): JsonValue {
  if (!isJsonObject(usage)) return null;
  const count = (value: JsonValue | undefined) => (typeof value === 'number' ? value : null);
  return { prompt_tokens: count(usage.prompt_tokens), completion_tokens: count(usage.completion_tokens) };
}
