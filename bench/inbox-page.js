// @ts-check
/*
 * What a page of the inbox costs among few and among very many waiting runs: the query behind it and the making of its
 * markup, as one request does both.
 */
import { join } from 'node:path';
import { renderToString } from 'preact-render-to-string';
import { catalogueOf } from '../dist/inbox/messages/language.js';
import { ListPage } from '../dist/inbox/pages/list-page.js';
import { ListInboxHandler } from '../dist/projections/runs/list-inbox.handler.js';
import { ListInbox } from '../dist/projections/runs/list-inbox.query.js';
import { RunsTable } from '../dist/projections/runs/runs-table.js';

const FEW = 100;
const MANY = 100_000;
const PAGES = 400;

/** @type {import('../dist/governance/principal.js').Principal} */
const ADMIN = { id: 'ada', kind: 'person', enabled: true, oidcSubject: null, admin: true, grants: [], scopes: [] };

/** @param {string} folder @returns {Promise<{ few: number, many: number }>} milliseconds a page, side by side in one run */
export async function benchInboxPages(folder) {
  const few = pagesOf(filled(join(folder, 'few.sqlite'), FEW));
  const many = pagesOf(filled(join(folder, 'many.sqlite'), MANY));
  const spent = { few: 0, many: 0 };
  for (let page = 0; page < 40; page += 1) await Promise.all([few.make(), many.make()]);
  // Taking turns, so that whatever else the machine does hits both alike.
  for (let page = 0; page < PAGES; page += 1) {
    spent.few += await timed(few.make);
    spent.many += await timed(many.make);
  }
  few.close();
  many.close();
  return { few: spent.few / PAGES, many: spent.many / PAGES };
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** @param {RunsTable} table */
function pagesOf(table) {
  const handler = new ListInboxHandler(table);
  const t = catalogueOf('en');
  const search = { kind: null, words: '', cursor: null };
  /** @type {import('../dist/inbox/pages/visit.js').Visit} */
  const visit = { caller: ADMIN, language: 'en', t, nowMs: 0, here: '', path: (below = '') => `/inbox${below}` };
  return {
    async make() {
      const { items, nextCursor } = await handler.execute(new ListInbox(ADMIN, { limit: 50 }));
      const found = { items, nextCursor, searched: items.length };
      const page = renderToString(ListPage({ visit, search, found, done: false }));
      if (items.length !== 50 || !page.includes('data-item')) throw new Error('no whole page');
    },
    close: () => table.close(),
  };
}

/** @param {string} path @param {number} count @returns {RunsTable} */
function filled(path, count) {
  const table = RunsTable.open(path);
  table.database.exec('BEGIN');
  for (let index = 1; index <= count; index += 1) table.put(waiting(index));
  table.database.exec('COMMIT');
  return table;
}

/** @param {number} index @returns {import('../dist/projections/runs/run-row.js').RunRow} */
function waiting(index) {
  const at = new Date(1_900_000_000_000 + index * 1_000).toISOString();
  const requests = [{ callId: 'call_1', toolName: 'ask_delivery_window' }];
  return {
    started: BigInt(index * 10),
    runId: index.toString(16).padStart(32, '0'),
    status: 'waiting_for_input',
    revision: 3,
    ownerId: `owner-${index % 500}`,
    configurationId: 'demo',
    iterations: 1,
    usage: { inputTokens: 100, outputTokens: 20 },
    createdAt: at,
    updatedAt: at,
    dueAt: null,
    pause: {
      position: BigInt(index * 10 + 3),
      kind: 'input',
      turnDigest: index.toString(16).padStart(64, '0'),
      since: at,
      requests,
      iterations: 1,
      released: null,
    },
    settlement: null,
    erased: { working: false, outcome: false },
  };
}
