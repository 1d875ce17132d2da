import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ListInbox } from './list-inbox.query.js';
import { limitOf, pageOf, positionOf } from './page.js';
import { readReach } from './read-reach.js';
import type { RunRow } from './run-row.js';
import { type InboxItem, inboxItem } from './run-views.js';
import { RunsTable } from './runs-table.js';

@QueryHandler(ListInbox)
export class ListInboxHandler implements IQueryHandler<ListInbox> {
  constructor(private readonly table: RunsTable) {}

  async execute({ principal, request }: ListInbox) {
    const limit = limitOf(request);
    const behind = positionOf('inbox', request);
    const { all, waiting, own } = readReach(principal);
    const everybodys = all || waiting;
    const rows = everybodys || own ? this.table.inbox(everybodys ? null : principal.id, behind, limit + 1) : [];
    return pageOf(
      'inbox',
      rows.map(waitingRun),
      limit,
      ({ since }) => since,
      ({ item }) => item,
    );
  }
}

function waitingRun(row: RunRow): { readonly since: bigint; readonly item: InboxItem } {
  const item = inboxItem(row);
  if (item === null || row.pause === null) throw new Error(`run ${row.runId} is in the inbox and does not wait`);
  return { since: row.pause.position, item };
}
