import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3ToolCallPart,
} from '@ai-sdk/provider';
import type { ModelRequest, OfferedTool, PromptCall, PromptMessage } from './model-provider.js';
import { wellFormed } from './well-formed-text.js';

/** What every server takes for the name of a function. */
const FUNCTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Says what the AI SDK's models are asked, in their form. */
export function callOptionsOf(request: ModelRequest, abortSignal: AbortSignal): LanguageModelV3CallOptions {
  const { temperature, topP, maxOutputTokens, seed } = request.options;
  const offered = new Set(request.tools.map((tool) => tool.name));
  return {
    prompt: request.messages.map((message) => messageOf(message, offered)),
    // LIF-2: without a tool on offer there is no tools field, not an empty one, which servers refuse.
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toolOf) }),
    temperature,
    topP,
    maxOutputTokens,
    seed,
    abortSignal,
  };
}

function messageOf(message: PromptMessage, offered: ReadonlySet<string>): LanguageModelV3Message {
  const content = wellFormed(message.content);
  switch (message.role) {
    case 'system':
      return { role: 'system', content };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: content }] };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
          ...message.calls.map((call) => callOf(call, offered)),
        ],
      };
    case 'tool': {
      const { callId: toolCallId } = message;
      const toolName = functionName(message.toolName, offered);
      const output = { type: 'text' as const, value: content };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
    }
  }
}

function callOf(call: PromptCall, offered: ReadonlySet<string>): LanguageModelV3ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: call.callId,
    toolName: functionName(call.toolName, offered),
    input: typeof call.arguments === 'string' ? unparsedArguments(call.arguments) : call.arguments,
  };
}

/**
 * Arguments that were no object, as one. A transcript is refused as a whole, and the run with it, where one call of it
 * carries anything else: servers parse the arguments and lay the object out for the model. The model still sees what
 * it wrote, and beside it the error result that its call got (LIF-4).
 */
function unparsedArguments(text: string): { readonly unparsed_arguments?: string } {
  return text.trim() === '' ? {} : { unparsed_arguments: text };
}

/** A name that the model made up may be none that the server takes; one that was offered goes back as it was offered. */
function functionName(name: string, offered: ReadonlySet<string>): string {
  if (offered.has(name) || FUNCTION_NAME.test(name)) return name;
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

function toolOf(tool: OfferedTool): LanguageModelV3FunctionTool {
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    // The SDK types the schema as draft 7 and passes on whatever it is given.
    inputSchema: tool.parameters as LanguageModelV3FunctionTool['inputSchema'],
  };
}
