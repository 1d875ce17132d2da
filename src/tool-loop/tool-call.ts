import type { JsonObject, JsonValue } from '../events/json.js';
import type { ToolCallCompleted } from '../events/run-events.js';
import { type RegisteredTool, type ToolCallContext, ToolFault } from '../tools/tool.js';

/** Longest result that is recorded, UTF-8 bytes; what is longer is cut where everybody can see it. */
const MAX_RESULT_BYTES = 128 * 1024;

export interface ToolOutcome {
  readonly outcome: ToolCallCompleted['data']['outcome'];
  readonly refusal: ToolCallCompleted['data']['refusal'];
  /** What the model reads. */
  readonly content: string;
  /** The failure behind `tool_failed`, for the log: its class and where it was thrown, never its message. */
  readonly failure?: unknown;
}

/** Executes one call and turns whatever comes of it into a result that the model can be shown (LIF-4). */
export async function executeTool(
  tool: RegisteredTool,
  args: JsonObject,
  context: ToolCallContext,
): Promise<ToolOutcome> {
  try {
    const result = await tool.implementation.execute(args, context);
    return { outcome: 'ok', refusal: null, content: cutResult(resultText(result)) };
  } catch (failure) {
    const content = failure instanceof ToolFault ? cutResult(`Error: ${failure.message}`) : 'Error: the tool failed.';
    return { outcome: 'error', refusal: 'tool_failed', content, failure };
  }
}

/** A string is the result as it is; anything else is shown as JSON, and nothing as nothing. */
function resultText(result: JsonValue | undefined): string {
  if (typeof result === 'string') return result.toWellFormed();
  return (JSON.stringify(result) ?? '').toWellFormed();
}

/** Cuts at a character, and says so in the text itself. */
function cutResult(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_RESULT_BYTES) return text;
  const note = `\n[cut: the result had ${bytes} bytes]`;
  const kept = Buffer.from(text).subarray(0, MAX_RESULT_BYTES - Buffer.byteLength(note));
  // A character cut in two decodes to replacement characters; they are dropped.
  return `${new TextDecoder().decode(kept).replace(/\uFFFD+$/, '')}${note}`;
}
