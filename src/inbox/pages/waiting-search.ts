import type { QueryBus } from '@nestjs/cqrs';
import type { Principal } from '../../governance/principal.js';
import { Problem } from '../../http/problems/problem.js';
import { type InboxItem, ListInbox } from '../../projections/runs/list-inbox.query.js';

/** What somebody looks for among the runs that wait; it is all in the address of the page. */
export interface WaitingSearch {
  readonly kind: InboxItem['kind'] | null;
  readonly words: string;
  readonly cursor: string | null;
}

export interface FoundWaiting {
  readonly items: readonly InboxItem[];
  readonly nextCursor: string | null;
  /** How many runs were looked at. */
  readonly searched: number;
}

const PAGE = 50;

/** A search looks at so many runs at most, however many wait; then it offers to go on. */
const MOST_PARTS = 5;
const PART = 200;

const KINDS: readonly InboxItem['kind'][] = ['input', 'approval', 'resolution'];
const LONGEST_WORDS = 200;
const CURSOR = /^[A-Za-z0-9_-]{1,200}$/;

export function searchOf(query: URLSearchParams): WaitingSearch {
  const cursor = query.get('cursor') ?? '';
  return {
    kind: KINDS.find((kind) => kind === query.get('kind')) ?? null,
    words: (query.get('q') ?? '').trim().slice(0, LONGEST_WORDS),
    cursor: CURSOR.test(cursor) ? cursor : null,
  };
}

export function isSearch({ kind, words }: WaitingSearch): boolean {
  return kind !== null || words !== '';
}

/** @throws {Problem} `not-found` for a cursor that was never given out */
export async function searchWaiting(
  queries: QueryBus,
  caller: Principal,
  search: WaitingSearch,
): Promise<FoundWaiting> {
  if (!isSearch(search)) return part(queries, caller, search.cursor, PAGE);
  let { cursor } = search;
  const items: InboxItem[] = [];
  let searched = 0;
  for (let parts = 0; parts < MOST_PARTS && items.length < PAGE; parts++) {
    const found = await part(queries, caller, cursor, PART);
    items.push(...found.items.filter((item) => fits(item, search)));
    searched += found.searched;
    cursor = found.nextCursor;
    if (cursor === null) break;
  }
  return { items, nextCursor: cursor, searched };
}

async function part(queries: QueryBus, caller: Principal, cursor: string | null, limit: number): Promise<FoundWaiting> {
  try {
    const page = await queries.execute(new ListInbox(caller, { limit, ...(cursor === null ? {} : { cursor }) }));
    return { ...page, searched: page.items.length };
  } catch (error) {
    if (error instanceof Error && error.name === 'PageRequestInvalid') throw new Problem('not-found');
    throw error;
  }
}

/** Every word must be found somewhere. */
function fits({ runId, kind, toolNames, ownerId, configurationId }: InboxItem, search: WaitingSearch): boolean {
  if (search.kind !== null && search.kind !== kind) return false;
  const places = [runId, ...toolNames, ownerId, configurationId].map((text) => text.toLowerCase());
  const words = search.words.toLowerCase().split(/\s+/);
  return words.every((word) => places.some((place) => place.includes(word)));
}
