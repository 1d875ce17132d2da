import { visit } from 'jsonc-parser';
import type { JsonValue } from '../events/json.js';
import { pointerTo } from './json-pointer.js';

export type IJsonFault =
  | 'syntax'
  | 'duplicate_key'
  | 'lone_surrogate'
  | 'unsafe_integer'
  | 'too_deep'
  | 'too_many_nodes';

export type IJsonReading =
  | { readonly ok: true; readonly value: JsonValue }
  | {
      readonly ok: false;
      readonly fault: IJsonFault;
      /** Where, when one place is to blame. It holds names out of the text: for whoever sent the text, never for a log. */
      readonly pointer?: string;
    };

export interface IJsonLimits {
  /** Objects and arrays within one another; 256 unless said otherwise, which leaves room around a value of the depth that schemas may ask for. */
  readonly maxDepth?: number;
  /** Values of every kind; unbounded unless said otherwise, the length of the text being a bound already. */
  readonly maxNodes?: number;
}

const DEFAULT_MAX_DEPTH = 256;

/**
 * Reads a text as I-JSON (RFC 7493; INP-4): JSON in which every reader sees the same value. Refused besides bad syntax are member
 * names that occur twice, surrogates without their other half, and numbers that do not survive (`isIJsonNumber`).
 *
 * Takes time in proportion to the text, and never overflows the stack. Names such as `__proto__` become plain own members.
 */
export function parseIJson(text: string, limits: IJsonLimits = {}): IJsonReading {
  const { maxDepth = DEFAULT_MAX_DEPTH, maxNodes = Number.POSITIVE_INFINITY } = limits;
  // The parsers below recurse, so depth is judged first, on the bare text.
  if (nestsDeeperThan(maxDepth, text)) return { ok: false, fault: 'too_deep' };
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, fault: 'syntax' };
  }
  const refusal = whatIsNotIJson(text, maxNodes);
  return refusal === undefined ? { ok: true, value } : { ok: false, ...refusal };
}

/**
 * Whether the literal of a JSON number keeps its value. Integers beyond 2^53−1 do not, and neither do numbers that overflow. A number
 * of 1e21 or more is fine when it is written with an exponent: it stays so when it is written again, while smaller ones
 * come out as digits and would then claim to be exact.
 */
export function isIJsonNumber(literal: string): boolean {
  const magnitude = Math.abs(Number(literal));
  if (magnitude <= Number.MAX_SAFE_INTEGER) return true;
  return magnitude >= 1e21 && Number.isFinite(magnitude) && /e/i.test(literal);
}

function nestsDeeperThan(maxDepth: number, text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === BACKSLASH) at++;
      else if (unit === QUOTE) inString = false;
    } else if (unit === QUOTE) {
      inString = true;
    } else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      if (++depth > maxDepth) return true;
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) {
      depth--;
    }
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** With the `u` flag a surrogate that has its other half is one character, and not of this category. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Ends a visit, which cannot be ended otherwise. */
class Refusal extends Error {
  constructor(
    readonly fault: IJsonFault,
    readonly pointer?: string,
  ) {
    super(fault);
  }
}

/** The text is known to be well-formed JSON here. */
function whatIsNotIJson(text: string, maxNodes: number): { fault: IJsonFault; pointer?: string } | undefined {
  const namesInOpenObjects: Set<string>[] = [];
  let nodes = 0;
  const countNode = () => {
    if (++nodes > maxNodes) throw new Refusal('too_many_nodes');
  };
  try {
    visit(
      text,
      {
        onObjectBegin: () => {
          countNode();
          namesInOpenObjects.push(new Set());
        },
        onObjectProperty: (name, _offset, _length, _line, _character, pathOfObject) => {
          const names = namesInOpenObjects.at(-1);
          if (LONE_SURROGATE.test(name)) throw new Refusal('lone_surrogate', pointerOf(pathOfObject()));
          if (names?.has(name)) throw new Refusal('duplicate_key', pointerTo(pointerOf(pathOfObject()), name));
          names?.add(name);
        },
        onObjectEnd: () => {
          namesInOpenObjects.pop();
        },
        onArrayBegin: countNode,
        onLiteralValue: (value, offset, length, _line, _character, path) => {
          countNode();
          if (typeof value === 'string' && LONE_SURROGATE.test(value)) {
            throw new Refusal('lone_surrogate', pointerOf(path()));
          }
          if (typeof value === 'number' && !isIJsonNumber(text.slice(offset, offset + length))) {
            throw new Refusal('unsafe_integer', pointerOf(path()));
          }
        },
      },
      { disallowComments: true },
    );
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return { fault: refusal.fault, ...(refusal.pointer === undefined ? {} : { pointer: refusal.pointer }) };
  }
  return undefined;
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.reduce<string>(pointerTo, '');
}
