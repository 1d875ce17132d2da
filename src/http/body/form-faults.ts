import type { ValidationError } from 'class-validator';
import { isJsonObject } from '../../events/json.js';
import { pointerTo } from '../../run/json-pointer.js';
import type { RequestFault } from '../problems/problem.js';

/** Of a name that somebody made up: shown only as far as it helps. */
const MOST_NAME_CHARACTERS = 64;

/** What class-validator found, as pointers and messages of ours; values are never repeated. */
export function formFaults(errors: readonly ValidationError[], parent = ''): RequestFault[] {
  return errors.flatMap((error) => {
    const pointer = pointerTo(parent, error.property.slice(0, MOST_NAME_CHARACTERS));
    const own = Object.entries(error.constraints ?? {}).map(([constraint, message]) => ({
      pointer,
      message: constraint === 'whitelistValidation' ? UNKNOWN : withoutName(message, error.property),
    }));
    return [...own, ...formFaults(error.children ?? [], pointer)];
  });
}

/**
 * Names that every object seems to have. No DTO declares one, and what copies DTOs would drop them silently or stumble,
 * so that they are found here, wherever they stand.
 */
export function prototypeNames(value: unknown, pointer = ''): RequestFault[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => prototypeNames(item, pointerTo(pointer, index)));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const place = pointerTo(pointer, name.slice(0, MOST_NAME_CHARACTERS));
    return name in Object.prototype ? [{ pointer: place, message: UNKNOWN }] : prototypeNames(member, place);
  });
}

const UNKNOWN = 'is not a known property';

/** The pointer names the property already. */
function withoutName(message: string, name: string): string {
  return message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
}
