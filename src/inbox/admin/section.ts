/** The parts of the administration, in the order of their links. */
export const SECTIONS = ['configurations', 'snippets', 'skills', 'principals', 'tools', 'policy', 'audit'] as const;
export type Section = (typeof SECTIONS)[number];

/** What just happened, as the address says it after a form was taken. */
const DONE = ['saved', 'deleted', 'revoked', 'enabled', 'disabled', 'switched'] as const;
export type Done = (typeof DONE)[number];

/** Null where the address says nothing of the kind. */
export function doneOf(query: URLSearchParams): Done | null {
  return DONE.find((done) => done === query.get('done')) ?? null;
}
