import type { JsonObject } from '../events/json.js';
import type { RegisteredTool, ToolCallContext } from '../tools/tool.js';

const MAX_LINES = 20;
/** UTF-16 code units. */
const MAX_LINE = 500;

/** Room for the previews of one turn in its event, UTF-8 bytes: sealed and encoded they take a third more. */
const MAX_TURN_BYTES = 256 * 1024;

export interface Preview {
  readonly callId: string;
  readonly lines: readonly string[];
}

/** What the call would do, as its tool puts it; a tool that cannot say gets a line that says so, never a blank (APP-4). */
export async function previewTool(
  tool: RegisteredTool | undefined,
  args: JsonObject | string,
  context: ToolCallContext,
): Promise<readonly string[]> {
  if (tool === undefined) return ['This tool is not registered any more.'];
  if (tool.implementation.preview === undefined || typeof args === 'string') return ['This tool has no preview.'];
  try {
    const lines = (await tool.implementation.preview(args, context)).map((line) => String(line).toWellFormed());
    if (lines.every((line) => line.trim() === '')) return ['The preview of this tool came out empty.'];
    return cutLines(lines, MAX_LINES).map(cutLine);
  } catch {
    return ['The preview of this tool failed.'];
  }
}

/**
 * Previews that are together too large for one event are cut to an equal share each, where everybody can see it: a turn
 * of many calls is still put before somebody, who has the arguments of all of them in full.
 */
export function fitPreviews(previews: readonly Preview[], mostBytes = MAX_TURN_BYTES): readonly Preview[] {
  if (bytesOf(previews.flatMap(({ lines }) => lines)) <= mostBytes) return previews;
  const share = mostBytes / previews.length;
  return previews.map(({ callId, lines }) => ({ callId, lines: fitLines(lines, share) }));
}

function fitLines(lines: readonly string[], mostBytes: number): readonly string[] {
  let kept = lines.length;
  while (kept > 1 && bytesOf(cutLines(lines, kept)) > mostBytes) kept -= 1;
  return cutLines(lines, kept);
}

/** The last line that is kept gives way to the note, so that the note is within the bound. */
function cutLines(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), `[${lines.length - most + 1} more lines]`];
}

function cutLine(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((bytes, line) => bytes + Buffer.byteLength(line), 0);
}
