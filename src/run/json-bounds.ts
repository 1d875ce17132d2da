import type { JsonValue } from '../events/json.js';

export interface JsonBounds {
  /** Objects and arrays around a value, itself included: `[[1]]` has depth 2, `1` has depth 0. */
  readonly maxDepth: number;
  /** Values of every kind; member names are not counted. */
  readonly maxNodes: number;
}

export type BoundExceeded = 'too_deep' | 'too_many_nodes';

/** Measures without recursion and stops at the first bound, so that a hostile value costs no more than its bounds allow. */
export function exceededBound(value: JsonValue, { maxDepth, maxNodes }: JsonBounds): BoundExceeded | undefined {
  const open: { readonly value: JsonValue; readonly depth: number }[] = [{ value, depth: 0 }];
  let nodes = 1;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.value === null || typeof next.value !== 'object') continue;
    const depth = next.depth + 1;
    if (depth > maxDepth) return 'too_deep';
    const children: readonly JsonValue[] = Array.isArray(next.value) ? next.value : Object.values(next.value);
    nodes += children.length;
    if (nodes > maxNodes) return 'too_many_nodes';
    for (const child of children) open.push({ value: child, depth });
  }
  return nodes > maxNodes ? 'too_many_nodes' : undefined;
}
