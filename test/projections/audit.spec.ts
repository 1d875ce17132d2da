import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Streams } from '../../src/event-store/streams.js';
import type { AnyEventType, NewEventOf } from '../../src/events/event.js';
import type { AuditEntry } from '../../src/projections/audit/audit-entry.js';
import type { AuditFeed } from '../../src/projections/audit/audit-feed.js';
import { type AuditFilter, auditListQuery } from '../../src/projections/audit/audit-list-query.js';
import { AuditProjection } from '../../src/projections/audit/audit-projection.js';
import { AuditTable } from '../../src/projections/audit/audit-table.js';
import { ListAuditHandler } from '../../src/projections/audit/list-audit.handler.js';
import { AUDIT_KINDS, ListAudit } from '../../src/projections/audit/list-audit.query.js';
import { PageRequestInvalid } from '../../src/projections/runs/page.js';
import { FeedRunner } from '../../src/subscriptions/feed-runner.js';
import { CALM, type FaultPlan, type FeedFate, MemoryEventStore } from '../support/memory-event-store.js';
import {
  approvalDecided,
  DIGEST,
  inputSubmitted,
  modelResponded,
  runClaimed,
  runStarted,
  suspendedForApproval,
  suspendedForInput,
} from '../support/run-history.js';
import { someSteps, walk } from '../support/run-walk.js';
import { RunWriter } from '../support/run-writer.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { VirtualClock } from '../support/virtual-clock.js';

const FATES: readonly FeedFate[] = ['deliver', 'repeat', 'split', 'hold', 'drop'];

const refused = {
  type: 'AnswerRefused',
  data: {
    attemptedBy: 'otto',
    answer: 'approval',
    refusal: 'approver_not_permitted',
    reason: 'admins_only',
    toolName: 'refund',
    sourceId: null,
    dataClass: null,
    zone: null,
    turnDigest: DIGEST,
  },
} as const;

describe('The audit', () => {
  const folder = scratchFolder();
  let clock: VirtualClock;
  let writer: RunWriter;
  const open: Reader[] = [];

  beforeEach(() => {
    clock = new VirtualClock();
    writer = new RunWriter(clock);
  });
  afterEach(async () => {
    for (const reader of open.splice(0)) await reader.end();
  });
  afterAll(() => folder.remove());

  class Reader {
    readonly table: AuditTable;
    private readonly runner: FeedRunner;
    private readonly list: ListAuditHandler;

    constructor(path = ':memory:', plan: FaultPlan = CALM) {
      const { codec, entropy, log } = writer;
      const store = new MemoryEventStore(log, plan);
      this.table = AuditTable.open(path);
      this.runner = new FeedRunner(new AuditProjection(this.table), { store, codec, clock, entropy });
      this.list = new ListAuditHandler(this.table, this.runner as unknown as AuditFeed, store);
      open.push(this);
    }

    async follow(): Promise<this> {
      this.runner.start();
      await clock.settle();
      await clock.untilTrue(() => this.runner.position >= writer.log.head);
      return this;
    }

    async page(request: ListAudit['request']) {
      return this.list.execute(new ListAudit(request));
    }

    /** All of it, by pages. */
    async entries(filter: AuditFilter = {}, limit = 200): Promise<AuditEntry[]> {
      const all: AuditEntry[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await this.page({ ...filter, limit, ...(cursor === undefined ? {} : { cursor }) });
        all.push(...page.items);
        cursor = page.nextCursor;
      }
      return all;
    }

    async end(): Promise<void> {
      await this.runner.stop();
      this.table.close();
    }
  }

  async function write<E extends AnyEventType>(stream: string, actorId: string, ...events: NewEventOf<E>[]) {
    const length = writer.log.read(stream, 0).length;
    const context = { actor: { kind: 'principal', id: actorId }, correlationId: 'c1' } as const;
    await (writer.streams as Streams).append<E>(stream, length === 0 ? 'no_stream' : length - 1, events, context);
    await clock.advance(1_000);
  }

  /** Something of every kind that people do. */
  async function someHistory(): Promise<void> {
    const calls = [
      { callId: 'c1', toolName: 'look', disposition: 'run' },
      { callId: 'c2', toolName: 'refund', disposition: 'approval' },
      { callId: 'c3', toolName: null, disposition: 'not_offered' },
    ] as const;
    await write('run-r1', 'w1', runStarted(), runClaimed(), modelResponded(calls), suspendedForApproval('c2'));
    await write('refusal-r1', 'otto', refused);
    await write('run-r1', 'sam', approvalDecided(true));
    const reason = { reason: 'approver_not_permitted', toolName: 'refund' } as const;
    await write('run-r1', 'w1', { type: 'RunReleased', data: reason });
    await write('run-r1', 'sam', approvalDecided(false));
    await write('run-r1', 'olga', { type: 'RunCancelled', data: { cancelledBy: 'olga' } });
    const token = { tokenId: 't1', name: 'laptop', hash: 'f'.repeat(64), expiresAt: null };
    await write('principal-otto', 'root', { type: 'TokenIssued', data: token });
    await write('principal-otto', 'root', { type: 'TokenRevoked', data: { tokenId: 't1' } });
    await write('tool-refund', 'root', { type: 'ToolSwitched', data: { enabled: false, approval: null } });
    await write('configuration-c', 'root', { type: 'ConfigurationDeleted', data: {} });
    await write('run-r1', 'root', { type: 'RunContentErased', data: { scope: 'working', reason: 'request' } });
    await write('run-r1', 'system', { type: 'RunContentErased', data: { scope: 'outcome', reason: 'age' } });
  }

  it('SUB-9 SUB-12 tells who did what to which run, and what they had been shown', async () => {
    await someHistory();
    const reader = await new Reader().follow();
    const shown = {
      turnDigest: DIGEST,
      calls: [
        { callId: 'c1', toolName: 'look' },
        { callId: 'c2', toolName: 'refund' },
        { callId: 'c3', toolName: null },
      ],
    };
    const run = { runId: 'r1', subject: { kind: 'run', id: 'r1' } };
    const by = (id: string) => ({ actor: { kind: 'principal', id } });
    const otto = { subject: { kind: 'principal', id: 'otto' }, ...by('root') };
    const entries = await reader.entries();
    expect(entries.map(({ id: _id, at: _at, ...entry }) => entry)).toEqual([
      { kind: 'RunContentErased', ...run, ...by('root'), outcome: 'erased', reason: 'request', scope: 'working' },
      { kind: 'ConfigurationDeleted', subject: { kind: 'configuration', id: 'c' }, ...by('root'), outcome: 'deleted' },
      {
        kind: 'ToolSwitched',
        subject: { kind: 'tool', id: 'refund' },
        ...by('root'),
        outcome: 'switched',
        document: { enabled: false, approval: null },
      },
      { kind: 'TokenRevoked', ...otto, outcome: 'revoked', document: { tokenId: 't1' } },
      { kind: 'TokenIssued', ...otto, outcome: 'issued', document: { tokenId: 't1', name: 'laptop', expiresAt: null } },
      { kind: 'RunCancelled', ...run, ...by('olga'), outcome: 'cancelled' },
      { kind: 'ApprovalDecided', ...run, ...by('sam'), outcome: 'denied', shown },
      {
        kind: 'RunReleased',
        ...run,
        ...by('w1'),
        outcome: 'released',
        reason: 'approver_not_permitted',
        toolName: 'refund',
        shown,
      },
      { kind: 'ApprovalDecided', ...run, ...by('sam'), outcome: 'approved', shown },
      {
        kind: 'AnswerRefused',
        ...run,
        ...by('otto'),
        outcome: 'refused',
        reason: 'approver_not_permitted',
        denial: 'admins_only',
        answer: 'approval',
        toolName: 'refund',
        shown,
      },
    ]);
    const places = entries.map(({ id }) => BigInt(id));
    expect(places).toEqual([...places].sort((one, other) => (one < other ? 1 : -1)));
  });

  it('knows what was shown also of a refusal that was recorded after the run had gone on', async () => {
    const calls = [{ callId: 'c1', toolName: 'ask', disposition: 'input' }] as const;
    await write('run-r1', 'w1', runStarted(), runClaimed(), modelResponded(calls), suspendedForInput('c1'));
    await write('run-r1', 'sam', inputSubmitted());
    const later = { ...suspendedForInput('c2'), data: { requests: [], turnDigest: 'b'.repeat(64) } } as never;
    await write('run-r1', 'w1', runClaimed(), modelResponded([{ ...calls[0], callId: 'c2' }]), later);
    await write('refusal-r1', 'otto', refused);
    const [entry] = await (await new Reader().follow()).entries({ kind: 'AnswerRefused' });
    expect(entry?.shown).toEqual({ turnDigest: DIGEST, calls: [{ callId: 'c1', toolName: 'ask' }] });
  });

  it('comes to the same whatever the feed repeats, splits, delays or drops, and again from nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(someSteps, { minLength: 1, maxLength: 3 }),
        fc.array(fc.constantFrom(...FATES), { maxLength: 20 }),
        async (runs, fates) => {
          clock = new VirtualClock();
          writer = new RunWriter(clock);
          const left = [...fates];
          const troubled = new Reader(':memory:', { ...CALM, feedFate: () => left.shift() ?? 'deliver' });
          for (const [index, steps] of runs.entries()) {
            for (const events of walk(steps)) {
              await writer.write(`r${index}`, ...events);
              if (events[0]?.type === 'RunStarted') await write(`refusal-r${index}`, 'otto', refused);
            }
          }
          await troubled.follow();
          const fromNothing = await new Reader().follow();
          const entries = await fromNothing.entries();
          expect(await troubled.entries({}, 3)).toEqual(entries);
          const audited = writer.log
            .batchBehind(-1n, [''])
            .events.filter(({ type }) => AUDIT_KINDS.includes(type) && type !== 'RunContentErased');
          expect(entries).toHaveLength(audited.length);
          for (const reader of open.splice(0)) await reader.end();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('SEA-1 INP-11 is a file that can be deleted, and that holds no content and nothing that recognises a token', async () => {
    await someHistory();
    const path = join(folder.path, 'audit.sqlite');
    const first = await new Reader(path).follow();
    const entries = await first.entries();
    for (const reader of open.splice(0)) await reader.end();
    const bytes = readFileSync(path, 'latin1');
    // Of the histories' content; the last one is the hash of a token.
    for (const word of ['hello', '"text"', 'f'.repeat(64)]) expect(bytes).not.toContain(word);
    expect(await (await new Reader(join(folder.path, 'again.sqlite')).follow()).entries()).toEqual(entries);
  });

  it('holds exactly what the filters ask for, page by page', async () => {
    await someHistory();
    const reader = await new Reader().follow();
    const all = await reader.entries();
    const at = (index: number) => all[index]?.at as string;
    for (const runId of [undefined, 'r1', 'r2']) {
      for (const actorId of [undefined, 'sam', 'root']) {
        for (const kind of [undefined, 'ApprovalDecided', 'TokenIssued']) {
          for (const [from, to] of [[], [at(6)], [undefined, at(2)], [at(7), at(1)], [at(1), at(1)]]) {
            const filter: AuditFilter = JSON.parse(JSON.stringify({ runId, actorId, kind, from, to }));
            const expected = all.filter(
              (entry) =>
                (runId === undefined || entry.runId === runId) &&
                (actorId === undefined || entry.actor.id === actorId) &&
                (kind === undefined || entry.kind === kind) &&
                (from === undefined || entry.at >= from) &&
                (to === undefined || entry.at < to),
            );
            expect(await reader.entries(filter, 2)).toEqual(expected);
          }
        }
      }
    }
  });

  it('refuses a cursor that it never gave out', async () => {
    const reader = await new Reader().follow();
    const forged = ['audit:2030-01-01T00:00:00.000Z:9999999999999999999', 'runs:5', 'audit:x:1', ''].map((text) =>
      Buffer.from(text).toString('base64url'),
    );
    for (const cursor of [...forged, 'x']) await expect(reader.page({ cursor })).rejects.toThrow(PageRequestInvalid);
  });

  it('finds and orders every page by an index, whatever is asked', () => {
    const { table } = new Reader();
    for (const runId of [undefined, 'r']) {
      for (const actorId of [undefined, 'a']) {
        for (const kind of [undefined, 'k']) {
          const filter: AuditFilter = JSON.parse(JSON.stringify({ runId, actorId, kind, from: '2', to: '3' }));
          const { sql } = auditListQuery(filter, { at: '2', position: 1n }, 50);
          const steps = table.database.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
          expect(steps.map(({ detail }) => detail)).toEqual([
            expect.stringMatching(/^SEARCH audit USING INDEX .+at>\?/),
          ]);
        }
      }
    }
  });
});
