/** A chat-completions request as it came over HTTP; what its body claims to be is what the rules below check. */
export interface ChatHttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: ChatRequest;
}

interface ChatRequest {
  readonly model?: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly type: string; readonly function: Record<string, unknown> }[];
  readonly [option: string]: unknown;
}

export interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/**
 * Which rule of the chat-completions format a request breaks, as the strictest of the servers see it: `tools` is absent
 * or has a tool, names are names, arguments of earlier calls are the text of an object, each call has exactly one result
 * and each result has its call.
 */
export function faultOfChatRequest({ method, path, headers, body }: ChatHttpRequest): string | undefined {
  if (method !== 'POST' || path !== '/v1/chat/completions') return 'no such resource';
  if (!headers['content-type']?.includes('application/json')) return 'the content type must be application/json';
  if (typeof body.model !== 'string' || !Array.isArray(body.messages) || body.messages.length === 0) {
    return 'model and messages are required';
  }
  return faultOfTools(body) ?? faultOfMessages(body.messages);
}

function faultOfTools({ tools }: ChatRequest): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.length === 0) return 'tools must not be empty';
  return tools.every((tool) => tool.type === 'function' && isFunctionName(tool.function.name))
    ? undefined
    : 'a tool is no function with a name';
}

function faultOfMessages(messages: readonly ChatMessage[]): string | undefined {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? '')) return 'a tool result has no call before it';
    } else if (open.size > 0) {
      return 'a call has no result';
    }
    for (const call of message.tool_calls ?? []) {
      if (call.type !== 'function' || !isFunctionName(call.function.name)) return 'a call names no function';
      if (!isObjectText(call.function.arguments)) return 'the arguments of a call are not the text of an object';
      if (open.has(call.id)) return 'a call id is repeated';
      open.add(call.id);
    }
    if (message.role === 'assistant' ? message.content === undefined : typeof message.content !== 'string') {
      return 'a message has no content';
    }
    if (message.role === 'assistant' && message.content === null && message.tool_calls === undefined) {
      return 'an assistant message has neither content nor calls';
    }
    if (message.tool_calls?.length === 0) return 'tool_calls must not be empty';
  }
  return open.size > 0 ? 'a call has no result' : undefined;
}

function isFunctionName(name: unknown): boolean {
  return typeof name === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

function isObjectText(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
