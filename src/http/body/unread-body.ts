import type { JsonValue } from '../../events/json.js';
import { type IJsonFault, parseIJson } from '../../run/i-json.js';
import { invalidRequest, type Problem } from '../problems/problem.js';

/**
 * A body as it came: bytes. It is read only once the caller is known to be allowed to make the call, so that a bad body
 * of somebody without a token is a missing token, and costs nothing more.
 */
export class UnreadBody {
  constructor(private readonly bytes: Uint8Array) {}

  /**
   * Reads the bytes as I-JSON (INP-4); undefined where there are none.
   *
   * @throws {Problem} `invalid-request`, naming the fault
   */
  read(): JsonValue | undefined {
    if (this.bytes.length === 0) return undefined;
    const reading = parseIJson(this.text());
    if (!reading.ok) throw refused(reading.fault, reading.pointer);
    return reading.value;
  }

  private text(): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(this.bytes);
    } catch {
      throw invalidRequest([{ pointer: '', message: 'is not UTF-8' }]);
    }
  }
}

const MESSAGES: Record<IJsonFault, string> = {
  syntax: 'is not JSON',
  duplicate_key: 'is a name that occurs twice in its object',
  lone_surrogate: 'has half a surrogate pair',
  unsafe_integer: 'is a number beyond what every reader takes for the same (2^53-1)',
  too_deep: 'is nested too deeply',
  too_many_nodes: 'has too many values',
};

function refused(fault: IJsonFault, pointer = ''): Problem {
  return invalidRequest([{ pointer, message: MESSAGES[fault] }]);
}
