import { type DynamicModule, Module } from '@nestjs/common';
import type { JsonObject, JsonValue } from '../../src/events/json.js';
import { Tool } from '../../src/tools/tool.decorator.js';
import {
  type ToolCallContext,
  type ToolDeclaration,
  ToolFault,
  type ToolImplementation,
} from '../../src/tools/tool.js';

/*
 * Tools that do to a run what the demonstration's do not: fail in every way, ask for anything at all, answer at length.
 */

const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

@Tool({ name: 'echo', description: 'Says what it was told.', effect: 'read_only', parameters: TEXT })
class EchoTool implements ToolImplementation {
  execute({ text }: JsonObject): JsonValue {
    return text ?? null;
  }
}

/** As carelessly as an error can be made: its text in the message, in a line that looks like a stack frame, in its cause. */
@Tool({ name: 'fail', description: 'Throws.', effect: 'read_only', parameters: TEXT })
class FailTool implements ToolImplementation {
  execute({ text }: JsonObject): JsonValue {
    const cause = new Error(`cause ${text}`);
    throw Object.assign(new Error(`no ${text}\n    at ${text} (file:///somewhere/${text}.js:1:1)`, { cause }), {
      code: text,
      detail: { text },
    });
  }
}

@Tool({ name: 'fail_without_error', description: 'Throws no error at all.', effect: 'read_only', parameters: TEXT })
class FailWithoutErrorTool implements ToolImplementation {
  execute({ text }: JsonObject): JsonValue {
    throw { message: text, stack: `    at ${text}` };
  }
}

/** Ends the whole process, by an error that nobody can catch. */
@Tool({ name: 'strand', description: 'Leaves a rejection behind.', effect: 'read_only', parameters: TEXT })
class StrandTool implements ToolImplementation {
  async execute({ text }: JsonObject): Promise<JsonValue> {
    void Promise.reject(new Error(`stranded ${text}`));
    await new Promise((resolve) => setImmediate(resolve));
    return null;
  }
}

@Tool({ name: 'explain', description: 'Fails, and says why.', effect: 'read_only', parameters: TEXT })
class ExplainTool implements ToolImplementation {
  execute({ text }: JsonObject): JsonValue {
    throw new ToolFault(`because of ${text}`);
  }
}

const NOTE = {
  type: 'object',
  properties: { note: { type: 'string', maxLength: 2_000 }, amount: { type: 'integer', minimum: 0, maximum: 100 } },
  required: ['note'],
} as const;

@Tool({
  name: 'ask_note',
  description: 'Asks for a note.',
  effect: 'read_only',
  parameters: { type: 'object', properties: { topic: { type: 'string' }, ...NOTE.properties } },
  inputSchema: NOTE,
})
class AskNoteTool implements ToolImplementation {
  execute(args: JsonObject): JsonValue {
    return args;
  }
}

@Tool({
  name: 'ask_code',
  description: 'Asks for a code whose pattern takes an engine that backtracks for ever, and for nothing else.',
  effect: 'read_only',
  parameters: { type: 'object', properties: { code: { type: 'string' } } },
  inputSchema: {
    type: 'object',
    properties: { code: { type: 'string', pattern: '^(a+)+$' } },
    required: ['code'],
    additionalProperties: false,
  },
})
class AskCodeTool implements ToolImplementation {
  execute(args: JsonObject): JsonValue {
    return args;
  }
}

@Tool({
  name: 'ask_anything',
  description: 'Asks for any value, and for names if there are some.',
  effect: 'read_only',
  parameters: { type: 'object', properties: { value: true, names: { type: 'array' } } },
  inputSchema: {
    type: 'object',
    properties: { value: true, names: { type: 'array', items: { type: 'string' } } },
    required: ['value'],
  },
})
class AskAnythingTool implements ToolImplementation {
  execute({ value }: JsonObject): JsonValue {
    return JSON.stringify(value).length;
  }
}

@Tool({
  name: 'pour',
  description: 'Answers with as many characters as it is told.',
  effect: 'read_only',
  parameters: { type: 'object', properties: { characters: { type: 'integer' } }, required: ['characters'] },
})
class PourTool implements ToolImplementation {
  execute({ characters }: JsonObject): JsonValue {
    return '€'.repeat(Number(characters));
  }
}

/** Ends only when it is told that nobody wants its result, which it then says. */
@Tool({ name: 'hold', description: 'Never ends by itself.', effect: 'read_only', parameters: TEXT })
class HoldTool implements ToolImplementation {
  execute({ text }: JsonObject, { signal }: ToolCallContext): Promise<JsonValue> {
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(text ?? null), { once: true }));
  }
}

@Tool({
  name: 'hold_write',
  description: 'Writes, and never ends by itself.',
  effect: 'non_idempotent_write',
  parameters: TEXT,
})
class HoldWriteTool extends HoldTool {}

@Tool({ name: 'write_note', description: 'Writes a note.', effect: 'idempotent_write', parameters: TEXT })
class WriteNoteTool implements ToolImplementation {
  execute({ text }: JsonObject): JsonValue {
    return text ?? null;
  }

  preview({ text }: JsonObject): string[] {
    return [`Writes down: ${text}`];
  }
}

const PROBES = [
  EchoTool,
  FailTool,
  FailWithoutErrorTool,
  StrandTool,
  ExplainTool,
  AskNoteTool,
  AskCodeTool,
  AskAnythingTool,
  PourTool,
  HoldTool,
  HoldWriteTool,
  WriteNoteTool,
];

@Module({})
class ProbeToolsModule {}

/** @param declarations of further tools, in JSON, which do nothing: for declarations that the start must refuse */
export function probeTools(declarations: string | undefined): DynamicModule {
  const further = (JSON.parse(declarations ?? '[]') as ToolDeclaration[]).map((declaration) => {
    @Tool(declaration)
    class DeclaredTool implements ToolImplementation {
      execute(): JsonValue {
        return null;
      }
    }
    return DeclaredTool;
  });
  return { module: ProbeToolsModule, providers: [...PROBES, ...further] };
}
