import fc from 'fast-check';
import { reaches } from '../../src/governance/access.js';
import type { Principal } from '../../src/governance/principal.js';
import { ListInboxHandler } from '../../src/projections/runs/list-inbox.handler.js';
import { ListInbox } from '../../src/projections/runs/list-inbox.query.js';
import { ListRunsHandler } from '../../src/projections/runs/list-runs.handler.js';
import { ListRuns } from '../../src/projections/runs/list-runs.query.js';
import { type Page, type PageRequest, PageRequestInvalid } from '../../src/projections/runs/page.js';
import { inboxQuery, runListQuery } from '../../src/projections/runs/run-list-query.js';
import { evolveRow, isWaitingRow, type RunRow } from '../../src/projections/runs/run-row.js';
import { type RunFilter, selectionFor } from '../../src/projections/runs/run-selection.js';
import { RunsTable } from '../../src/projections/runs/runs-table.js';
import type { RunStatus } from '../../src/run/run-state.js';
import { ada, approver, dora, EVERYBODY, gina, olga, reader, starter } from '../support/people.js';
import { recorded } from '../support/run-history.js';
import { someSteps, walk } from '../support/run-walk.js';

const OWNERS = ['olga', 'pete', 'gina', 'nobody'];
const CONFIGURATIONS = ['demo', 'other'];
const STATUSES: readonly RunStatus[] = [
  'queued',
  'running',
  'waiting_for_approval',
  'waiting_for_input',
  'waiting_for_resolution',
  'completed',
  'failed',
  'cancelled',
];

const someRuns = fc.array(
  fc.record({
    steps: someSteps,
    ownerId: fc.constantFrom(...OWNERS),
    configurationId: fc.constantFrom(...CONFIGURATIONS),
  }),
  { maxLength: 25 },
);
const someFilter: fc.Arbitrary<RunFilter> = fc.record(
  {
    status: fc.constantFrom(...STATUSES),
    ownerId: fc.constantFrom(...OWNERS),
    configurationId: fc.constantFrom(...CONFIGURATIONS),
  },
  { requiredKeys: [] },
);

/** Rows of runs whose events lie in the log one after the other. */
function rowsOf(runs: readonly { steps: readonly number[]; ownerId: string; configurationId: string }[]): RunRow[] {
  let position = 0n;
  return runs.map(({ steps, ...options }, index) => {
    let row: RunRow | null = null;
    for (const event of recorded(walk(steps, options).flat())) {
      position += 1n;
      row = evolveRow(row, { ...event, stream: `run-r${index}`, position });
    }
    return row as unknown as RunRow;
  });
}

function tableOf(rows: readonly RunRow[]): RunsTable {
  const table = RunsTable.open(':memory:');
  for (const row of rows) table.put(row);
  return table;
}

/** All items of a list, page by page. */
async function everyPage<Item>(limit: number, read: (request: PageRequest) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await read(cursor === undefined ? { limit } : { limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

function mayRead(principal: Principal, row: RunRow): boolean {
  return reaches(principal, 'read', { ownerId: row.ownerId, waiting: isWaitingRow(row) });
}

describe('The list of runs', () => {
  it('SUB-1 holds exactly what the reader may read, newest first, on any pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        someRuns,
        fc.constantFrom(...EVERYBODY),
        someFilter,
        fc.integer({ min: 1, max: 9 }),
        async (runs, who, filter, limit) => {
          const rows = rowsOf(runs);
          const handler = new ListRunsHandler(tableOf(rows));
          const shown = await everyPage(limit, (page) => handler.execute(new ListRuns(who, { ...filter, ...page })));
          const expected = rows.filter(
            (row) =>
              mayRead(who, row) &&
              (Object.keys(filter) as (keyof RunFilter)[]).every((member) => row[member] === filter[member]),
          );
          expect(shown.map((run) => run.id)).toEqual(expected.map((row) => row.runId).reverse());
        },
      ),
      { numRuns: 150 },
    );
  });

  it('goes on behind the last run of a page when others are started meanwhile', async () => {
    const rows = rowsOf(Array.from({ length: 5 }, () => ({ steps: [0], ownerId: 'olga', configurationId: 'demo' })));
    const table = tableOf(rows.slice(0, 4));
    const handler = new ListRunsHandler(table);
    const first = await handler.execute(new ListRuns(olga, { limit: 2 }));
    table.put(rows[4] as RunRow);
    const second = await handler.execute(new ListRuns(olga, { limit: 2, cursor: first.nextCursor as string }));
    expect([...first.items, ...second.items].map((run) => run.id)).toEqual(['r3', 'r2', 'r1', 'r0']);
    expect(second.nextCursor).toBeNull();
  });

  it('has pages of 50, and of 200 at most', async () => {
    const rows = rowsOf(Array.from({ length: 60 }, () => ({ steps: [0], ownerId: 'olga', configurationId: 'demo' })));
    const handler = new ListRunsHandler(tableOf(rows));
    expect((await handler.execute(new ListRuns(olga))).items).toHaveLength(50);
    expect((await handler.execute(new ListRuns(olga, { limit: 200 }))).items).toHaveLength(60);
    for (const limit of [0, -1, 201, 1.5, Number.NaN]) {
      await expect(handler.execute(new ListRuns(olga, { limit }))).rejects.toThrow(new PageRequestInvalid('limit'));
    }
  });

  it('refuses a cursor that it never gave out', async () => {
    const table = tableOf([]);
    const cursors = [
      '',
      'x',
      'cnVuczo',
      Buffer.from('runs:-1').toString('base64url'),
      Buffer.from('runs:1 ').toString('base64url'),
      Buffer.from('inbox:1').toString('base64url'),
      Buffer.from('runs:9223372036854775808').toString('base64url'),
      `${Buffer.from('runs:1').toString('base64url')}=`,
      Buffer.from('runs:01').toString('base64url'),
    ];
    for (const cursor of cursors) {
      const refused = new ListRunsHandler(table).execute(new ListRuns(ada, { cursor }));
      await expect(refused).rejects.toThrow(new PageRequestInvalid('cursor'));
    }
    const fromRuns = new ListInboxHandler(table).execute(
      new ListInbox(ada, { cursor: Buffer.from('runs:1').toString('base64url') }),
    );
    await expect(fromRuns).rejects.toThrow(PageRequestInvalid);
  });

  it('says nothing of the answer in a list', async () => {
    const rows = rowsOf([{ steps: [0, 0, 0], ownerId: 'olga', configurationId: 'demo' }]);
    const { items } = await new ListRunsHandler(tableOf(rows)).execute(new ListRuns(ada));
    expect(items[0]?.outcome).toEqual({ reason: 'finished', truncated: false });
  });
});

describe('The inbox', () => {
  it('SUB-1 holds exactly the waiting runs that the reader may read, longest waiting first', async () => {
    await fc.assert(
      fc.asyncProperty(
        someRuns,
        fc.constantFrom(...EVERYBODY),
        fc.integer({ min: 1, max: 9 }),
        async (runs, who, limit) => {
          const rows = rowsOf(runs);
          const handler = new ListInboxHandler(tableOf(rows));
          const shown = await everyPage(limit, (page) => handler.execute(new ListInbox(who, page)));
          const waiting = rows.filter((row) => isWaitingRow(row) && mayRead(who, row));
          waiting.sort((a, b) => Number((a.pause?.position ?? 0n) - (b.pause?.position ?? 0n)));
          expect(shown.map((item) => item.runId)).toEqual(waiting.map((row) => row.runId));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('names what is asked, each tool once', async () => {
    const rows = rowsOf([{ steps: [0, 0, 4], ownerId: 'olga', configurationId: 'demo' }]);
    const { items } = await new ListInboxHandler(tableOf(rows)).execute(new ListInbox(gina));
    expect(items).toEqual([
      {
        runId: 'r0',
        kind: 'input',
        toolNames: ['ask'],
        ownerId: 'olga',
        configurationId: 'demo',
        since: '2030-01-01T00:00:03.000Z',
        turnDigest: '2'.padStart(64, '0'),
      },
    ]);
  });
});

describe('A page', () => {
  const table = RunsTable.open(':memory:');
  const plan = (sql: string) =>
    table.database
      .prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((step) => step.detail);

  const filters: RunFilter[] = [undefined, ...STATUSES].flatMap((status) =>
    [undefined, 'olga', 'pete'].flatMap((ownerId) =>
      [undefined, 'demo'].map((configurationId) => JSON.parse(JSON.stringify({ status, ownerId, configurationId }))),
    ),
  );

  it.each([olga, ada, gina, reader, approver])(
    'of the list is found and ordered by indexes for $id, whatever is asked',
    (who) => {
      for (const filter of filters) {
        const selection = selectionFor(who, filter);
        if (selection.length === 0) continue;
        const steps = plan(runListQuery(selection, 1n, 50).sql);
        for (const step of steps) expect(step).toMatch(/^(SEARCH runs USING |MERGE \(UNION ALL\)$|LEFT$|RIGHT$)/);
        const searches = steps.filter((step) => step.startsWith('SEARCH'));
        expect(searches).toHaveLength(selection.length);
        for (const step of searches) expect(step).toContain('rowid<?');
      }
    },
  );

  it('SUB-1 of the list never looks at a run that the reader may not see', () => {
    const narrow = (who: Principal) =>
      filters
        .flatMap((filter) => selectionFor(who, filter))
        .filter((part) => part.ownerId !== who.id && !part.status?.startsWith('waiting'));
    expect(narrow(olga)).toEqual([]);
    expect(narrow(gina)).toEqual([]);
    expect(narrow(approver)).toEqual([]);
    for (const who of [dora, starter]) expect(filters.flatMap((filter) => selectionFor(who, filter))).toEqual([]);
  });

  it('of the inbox is found and ordered by an index of waiting runs alone', () => {
    expect(plan(inboxQuery(null, 1n, 50).sql)).toEqual(['SEARCH runs USING INDEX inbox (waiting_since>?)']);
    expect(plan(inboxQuery('olga', 1n, 50).sql)).toEqual([
      'SEARCH runs USING INDEX inbox_by_owner (owner_id=? AND waiting_since>?)',
    ]);
  });
});
