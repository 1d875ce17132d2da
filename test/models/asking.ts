import { inspect } from 'node:util';
import { ModelCallFailed, type ModelRequest } from '../../src/models/model-provider.js';

/** A request with the one message `hello` and nothing else, but for what is given. */
export function asking(request: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [{ role: 'user', content: 'hello' }],
    tools: [],
    options: {},
    answerIndex: 0,
    signal: new AbortController().signal,
    ...request,
  };
}

/** The failure of a model call that is expected to fail. */
export async function failureOf(call: Promise<unknown>): Promise<ModelCallFailed> {
  const error: unknown = await call.then(
    () => 'the call was answered',
    (reason: unknown) => reason,
  );
  if (error instanceof ModelCallFailed) return error;
  throw new Error(`expected ModelCallFailed: ${inspect(error)}`);
}

/** Everything that a logger could find on an error: its properties, hidden ones too, its causes and all their stacks. */
export function allThatALogCouldShow(error: Error): string {
  const shown: string[] = [];
  const seen = new Set<unknown>();
  for (let current: unknown = error; current instanceof Error && !seen.has(current); current = current.cause) {
    seen.add(current);
    shown.push(current.message, current.stack ?? '', String(current), JSON.stringify(current));
    for (const key of Reflect.ownKeys(current)) {
      const value: unknown = Reflect.get(current, key);
      shown.push(String(key), typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value));
    }
  }
  shown.push(inspect(error, { depth: null, showHidden: true, maxStringLength: null, maxArrayLength: null }));
  return shown.join('\n');
}
