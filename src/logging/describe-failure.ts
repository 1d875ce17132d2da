import { types } from 'node:util';

/** What may be logged of an error. */
export interface FailureDescription {
  /** Class of the error. */
  readonly error: string;
  /** The places it came through, innermost first. */
  readonly frames: readonly string[];
}

const MOST_FRAMES = 10;

/** What stands before the message in a stack: the error's name, and a code where Node gave it one. */
const NAME = /^[\w$.]{0,64}(?: \[\w{1,64}\])?/;

/** A place in a program as V8 writes it, not just anything that begins with `at`. */
const FRAME = /^ {4}at .*(?::\d+:\d+\)?|\(<anonymous>\)|\(native\)|\(index \d+\))$/;

/**
 * Class and stack frames of an error, without its message: that may hold what a person submitted or what a model wrote
 * (INP-11).
 */
export function describeFailure(failure: unknown): FailureDescription {
  if (!isError(failure)) return { error: typeof failure, frames: [] };
  const frames = linesBehindMessage(failure).filter((line) => FRAME.test(line));
  return { error: classOf(failure), frames: frames.slice(0, MOST_FRAMES).map((line) => line.trim()) };
}

function classOf(failure: Error): string {
  const name: unknown = failure.constructor?.name;
  return typeof name === 'string' && /^[\w$]{1,64}$/.test(name) ? name : 'Error';
}

/** Also one of another realm, which `instanceof` does not know. */
function isError(failure: unknown): failure is Error {
  return failure instanceof Error || types.isNativeError(failure);
}

/**
 * The lines of a stack from where its message ends, since a line of the message can look like a frame. None where stack
 * and message do not agree, because one of the two was changed: then nobody can tell where the message ends.
 */
function linesBehindMessage({ message, stack = '' }: Error): string[] {
  const [name = ''] = NAME.exec(stack) ?? [];
  const head = message === '' ? name : `${name}: ${message}`;
  return stack.startsWith(`${head}\n`) ? stack.slice(head.length).split('\n') : [];
}
