import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { EventStore } from '../../event-store/event-store.js';
import { limitOf, type Page, PageRequestInvalid } from '../runs/page.js';
import type { AuditEntry } from './audit-entry.js';
import { AuditFeed } from './audit-feed.js';
import type { AuditPlace } from './audit-list-query.js';
import { AuditTable } from './audit-table.js';
import { ListAudit } from './list-audit.query.js';

/** How long a reader waits for the rows to get to where the log is, in milliseconds; then they are taken as they are. */
const CATCH_UP_MS = 2_000;

@QueryHandler(ListAudit)
export class ListAuditHandler implements IQueryHandler<ListAudit> {
  constructor(
    private readonly table: AuditTable,
    private readonly feed: AuditFeed,
    private readonly store: EventStore,
  ) {}

  async execute({ request }: ListAudit): Promise<Page<AuditEntry>> {
    const { cursor, limit: _limit, ...filter } = request;
    const limit = limitOf(request);
    const before = placeOf(cursor);
    // Few read an audit, and whoever does must not miss what has just happened.
    await this.feed.waitFor(await this.store.head(), { timeoutMs: CATCH_UP_MS });
    const entries = this.table.list(filter, before, limit + 1);
    const items = entries.slice(0, limit);
    const last = items[items.length - 1];
    return { items, nextCursor: entries.length > limit && last !== undefined ? cursorAt(last) : null };
  }
}

const CURSOR = /^audit:(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z):(\d{1,19})$/;
const LARGEST_POSITION = 2n ** 63n - 1n;

function cursorAt({ at, id }: Pick<AuditEntry, 'at' | 'id'>): string {
  return Buffer.from(`audit:${at}:${id}`, 'latin1').toString('base64url');
}

/** @throws {PageRequestInvalid} for what was never given out as a cursor of this list */
function placeOf(cursor: string | undefined): AuditPlace | undefined {
  if (cursor === undefined) return undefined;
  const [, at, id] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (at === undefined || id === undefined || cursorAt({ at, id }) !== cursor || BigInt(id) > LARGEST_POSITION) {
    throw new PageRequestInvalid('cursor');
  }
  return { at, position: BigInt(id) };
}
