/** A part of a list, and where the next one begins; null at its end. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

export interface PageRequest {
  /** From 1 to 200; absent: 50. */
  readonly limit?: number;
  /** `nextCursor` of the page before; absent: from the beginning. */
  readonly cursor?: string;
}

/** A list is asked for by a cursor that was never given out for it, or for too much at once. */
export class PageRequestInvalid extends Error {
  override readonly name = 'PageRequestInvalid';
  constructor(readonly fault: 'cursor' | 'limit') {
    super(`the ${fault} of the page is not valid`);
  }
}

const DEFAULT_LIMIT = 50;
const LARGEST_LIMIT = 200;

/** @throws {PageRequestInvalid} */
export function limitOf({ limit = DEFAULT_LIMIT }: PageRequest): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_LIMIT) throw new PageRequestInvalid('limit');
  return limit;
}

/** The lists that have cursors; one's are refused by the other. */
export type PagedList = 'runs' | 'inbox';

const LARGEST_POSITION = 2n ** 63n - 1n;

/** The place behind the item whose sort key is the position, in a form that says nothing to clients. */
function cursorAt(list: PagedList, position: bigint): string {
  return Buffer.from(`${list}:${position}`, 'latin1').toString('base64url');
}

/** The sort key that a cursor was made of, undefined without one. @throws {PageRequestInvalid} */
export function positionOf(list: PagedList, { cursor }: PageRequest): bigint | undefined {
  if (cursor === undefined) return undefined;
  const digits = /^([a-z]+):(\d{1,19})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  const position = BigInt(digits?.[2] ?? '-1');
  if (position < 0n || position > LARGEST_POSITION || cursorAt(list, position) !== cursor) {
    throw new PageRequestInvalid('cursor');
  }
  return position;
}

/** Cuts what was read, one more than the limit where there is more, into a page. */
export function pageOf<Row, Item>(
  list: PagedList,
  rows: readonly Row[],
  limit: number,
  key: (row: Row) => bigint,
  item: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown[shown.length - 1];
  const more = rows.length > limit && last !== undefined;
  return { items: shown.map(item), nextCursor: more ? cursorAt(list, key(last)) : null };
}
