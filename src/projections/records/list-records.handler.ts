import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { EventStore } from '../../event-store/event-store.js';
import { limitOf, type Page, PageRequestInvalid } from '../runs/page.js';
import { type ListedRecord, ListRecords } from './list-records.query.js';
import { RecordsFeed } from './records-feed.js';
import type { ListedKind } from './records-list-query.js';
import { type RecordRow, RecordsTable } from './records-table.js';

/** How long a reader waits for the rows to get to where the log is, in milliseconds; then they are taken as they are. */
const CATCH_UP_MS = 2_000;

@QueryHandler(ListRecords)
export class ListRecordsHandler implements IQueryHandler<ListRecords<ListedKind>> {
  constructor(
    private readonly table: RecordsTable,
    private readonly feed: RecordsFeed,
    private readonly store: EventStore,
  ) {}

  async execute({ kind, request }: ListRecords<ListedKind>): Promise<Page<ListedRecord<ListedKind>>> {
    const { cursor, limit: _limit, ...filter } = request;
    const limit = limitOf(request);
    const behind = idIn(kind, cursor);
    // Few read these lists, and whoever has just put a record looks for it here.
    await this.feed.waitFor(await this.store.head(), { timeoutMs: CATCH_UP_MS });
    const rows = this.table.list(kind, filter, behind, limit + 1);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown.map(listed),
      nextCursor: rows.length > limit && last !== undefined ? cursorAt(kind, last.id) : null,
    };
  }
}

/** The document is what the projection was given, which the codec had checked. */
function listed({ id, updatedAt, document }: RecordRow): ListedRecord<ListedKind> {
  return { ...document, id, updatedAt } as unknown as ListedRecord<ListedKind>;
}

const CURSOR = /^([a-z]+):([A-Za-z0-9_-]{1,64})$/;

function cursorAt(kind: ListedKind, id: string): string {
  return Buffer.from(`${kind}:${id}`, 'latin1').toString('base64url');
}

/** @throws {PageRequestInvalid} for what was never given out as a cursor of this list */
function idIn(kind: ListedKind, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const [, , id] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (id === undefined || cursorAt(kind, id) !== cursor) throw new PageRequestInvalid('cursor');
  return id;
}
