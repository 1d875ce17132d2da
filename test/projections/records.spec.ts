import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Streams } from '../../src/event-store/streams.js';
import type { AnyEventType, NewEventOf } from '../../src/events/event.js';
import { ListRecordsHandler } from '../../src/projections/records/list-records.handler.js';
import { ListRecords } from '../../src/projections/records/list-records.query.js';
import type { RecordsFeed } from '../../src/projections/records/records-feed.js';
import { type ListedKind, recordsListQuery } from '../../src/projections/records/records-list-query.js';
import { RecordsProjection } from '../../src/projections/records/records-projection.js';
import { RecordsTable } from '../../src/projections/records/records-table.js';
import { PageRequestInvalid } from '../../src/projections/runs/page.js';
import { FeedRunner } from '../../src/subscriptions/feed-runner.js';
import { CALM, type FaultPlan, type FeedFate, MemoryEventStore } from '../support/memory-event-store.js';
import { RunWriter } from '../support/run-writer.js';
import { scratchFolder } from '../support/scratch-folder.js';
import { VirtualClock } from '../support/virtual-clock.js';

const FATES: readonly FeedFate[] = ['deliver', 'repeat', 'split', 'hold', 'drop'];
const KINDS: readonly ListedKind[] = ['configuration', 'snippet', 'skill', 'principal'];
const MARKER = 'MARKER-of-content-9e1';

const configuration = (snippetIds: readonly string[] = [], skillIds: readonly string[] = []) =>
  ({
    type: 'ConfigurationPut',
    data: {
      provider: { kind: 'scripted' },
      trustZone: 'local',
      fallbacks: [],
      allowedTools: null,
      snippetIds,
      skillIds,
      requireSecondApprover: false,
    },
    content: { systemPrompt: MARKER, turns: [{ text: MARKER }], fallbackTurns: [] },
  }) as const;
const source = (type: 'SnippetPut' | 'SkillPut', dataClass: string | null = null) =>
  ({ type, data: { dataClass, active: true }, content: { name: MARKER, content: MARKER } }) as const;
const principal = (enabled: boolean) =>
  ({
    type: 'PrincipalPut',
    data: { kind: 'person', enabled, admin: false, grants: [], scopes: [], oidcSubject: null },
  }) as const;
const deleted = (type: 'ConfigurationDeleted' | 'SnippetDeleted' | 'SkillDeleted') => ({ type, data: {} }) as const;

describe('The lists of governance records', () => {
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
    readonly table: RecordsTable;
    private readonly runner: FeedRunner;
    private readonly list: ListRecordsHandler;

    constructor(path = ':memory:', plan: FaultPlan = CALM) {
      const { codec, entropy, log } = writer;
      const store = new MemoryEventStore(log, plan);
      this.table = RecordsTable.open(path);
      this.runner = new FeedRunner(new RecordsProjection(this.table), { store, codec, clock, entropy });
      this.list = new ListRecordsHandler(this.table, this.runner as unknown as RecordsFeed, store);
      open.push(this);
    }

    async follow(): Promise<this> {
      this.runner.start();
      await clock.settle();
      await clock.untilTrue(() => this.runner.position >= writer.log.head);
      return this;
    }

    async page(kind: ListedKind, request: ListRecords<ListedKind>['request']) {
      return this.list.execute(new ListRecords(kind, request));
    }

    /** All of them, by pages. */
    async records(kind: ListedKind, request: ListRecords<ListedKind>['request'] = {}) {
      const all = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await this.page(kind, { ...request, ...(cursor === undefined ? {} : { cursor }) });
        all.push(...page.items);
        cursor = page.nextCursor;
      }
      return all;
    }

    async ids(kind: ListedKind, request: ListRecords<ListedKind>['request'] = {}) {
      return (await this.records(kind, request)).map(({ id }) => id);
    }

    async everything() {
      return Promise.all(KINDS.map((kind) => this.records(kind, { limit: 2 })));
    }

    async end(): Promise<void> {
      await this.runner.stop();
      this.table.close();
    }
  }

  async function write<E extends AnyEventType>(stream: string, ...events: NewEventOf<E>[]) {
    const length = writer.log.read(stream, 0).length;
    const context = { actor: { kind: 'principal', id: 'root' }, correlationId: 'c1' } as const;
    await (writer.streams as Streams).append<E>(stream, length === 0 ? 'no_stream' : length - 1, events, context);
    await clock.advance(1_000);
  }

  it('hold each record that stands, as its last document has it, by id', async () => {
    await write('snippet-b', source('SnippetPut'));
    await write('snippet-a', source('SnippetPut', 'internal'));
    await write('snippet-b', source('SnippetPut', 'diagnostics'));
    await write('snippet-c', source('SnippetPut'), deleted('SnippetDeleted'));
    await write('skill-a', source('SkillPut'), deleted('SkillDeleted'));
    await write('skill-a', source('SkillPut', 'public'));
    await write('principal-olga', principal(true));
    await write('principal-olga', principal(false), { type: 'TokenRevoked', data: { tokenId: 't' } });
    const reader = await new Reader().follow();
    expect((await reader.records('snippet')).map(({ updatedAt: _at, ...one }) => one)).toEqual([
      { id: 'a', dataClass: 'internal', active: true },
      { id: 'b', dataClass: 'diagnostics', active: true },
    ]);
    expect(await reader.records('skill')).toEqual([expect.objectContaining({ id: 'a', dataClass: 'public' })]);
    expect(await reader.records('principal')).toEqual([expect.objectContaining({ id: 'olga', enabled: false })]);
    expect(await reader.records('configuration')).toEqual([]);
  });

  it('know which configurations name a source now', async () => {
    await write('configuration-one', configuration(['rules'], ['tone']));
    await write('configuration-two', configuration(['rules', 'rules']));
    await write('configuration-three', configuration([], ['rules']));
    const reader = await new Reader().follow();
    expect(await reader.ids('configuration', { source: 'snippet:rules', limit: 1 })).toEqual(['one', 'two']);
    expect(await reader.ids('configuration', { source: 'skill:rules' })).toEqual(['three']);
    await write('configuration-two', configuration());
    await write('configuration-one', deleted('ConfigurationDeleted'));
    expect(await reader.ids('configuration', { source: 'snippet:rules' })).toEqual([]);
    expect(await reader.ids('configuration')).toEqual(['three', 'two']);
    const left = reader.table.database.prepare('SELECT configuration_id FROM source_uses').all();
    expect(left).toEqual([{ configuration_id: 'three' }]);
  });

  it('come to the same whatever the feed repeats, splits, delays or drops, and again from nothing', async () => {
    const steps = fc.constantFrom<[string, NewEventOf<AnyEventType>]>(
      ['configuration-a', configuration(['s'])],
      ['configuration-a', configuration(['t'])],
      ['configuration-a', deleted('ConfigurationDeleted')],
      ['configuration-b', configuration(['s'], ['s'])],
      ['snippet-s', source('SnippetPut', 'public')],
      ['snippet-s', deleted('SnippetDeleted')],
      ['skill-s', source('SkillPut')],
      ['principal-p', principal(true)],
      ['principal-p', principal(false)],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(steps, { minLength: 1, maxLength: 20 }),
        fc.array(fc.constantFrom(...FATES), { maxLength: 20 }),
        async (written, fates) => {
          clock = new VirtualClock();
          writer = new RunWriter(clock);
          const left = [...fates];
          const troubled = new Reader(':memory:', { ...CALM, feedFate: () => left.shift() ?? 'deliver' });
          for (const [stream, event] of written) {
            // What never was is not deleted.
            const exists = writer.log.read(stream, 0).length > 0;
            if (exists || !event.type.endsWith('Deleted')) await write(stream, event);
          }
          await troubled.follow();
          const fromNothing = await new Reader().follow();
          expect(await troubled.everything()).toEqual(await fromNothing.everything());
          for (const name of ['snippet:s', 'snippet:t', 'skill:s']) {
            const uses = await fromNothing.ids('configuration', { source: name });
            expect(await troubled.ids('configuration', { source: name })).toEqual(uses);
          }
          for (const reader of open.splice(0)) await reader.end();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('SEA-1 are a file that can be deleted, and that holds no content', async () => {
    await write('configuration-a', configuration(['s']));
    await write('snippet-s', source('SnippetPut', 'public'));
    const path = join(folder.path, 'records.sqlite');
    const first = await new Reader(path).follow();
    const before = await first.everything();
    for (const reader of open.splice(0)) await reader.end();
    expect(readFileSync(path, 'latin1')).not.toContain(MARKER);
    expect(await (await new Reader(join(folder.path, 'again.sqlite')).follow()).everything()).toEqual(before);
  });

  it('refuse a cursor that they never gave out, that of another kind included', async () => {
    const reader = await new Reader().follow();
    const forged = ['snippet:a', 'configuration:', 'configuration:ä', 'x'].map((text) =>
      Buffer.from(text, 'latin1').toString('base64url'),
    );
    for (const cursor of [...forged, '']) {
      await expect(reader.page('configuration', { cursor })).rejects.toThrow(PageRequestInvalid);
    }
    for (const limit of [0, 201]) await expect(reader.page('skill', { limit })).rejects.toThrow(PageRequestInvalid);
  });

  it('find and order every page by a key, whatever is asked', () => {
    const { table } = new Reader();
    for (const filter of [{}, { source: 'snippet:s' }]) {
      const { sql } = recordsListQuery('configuration', filter, 'a', 50);
      const steps = table.database.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
      for (const { detail } of steps) expect(detail).toMatch(/^SEARCH \w+ USING PRIMARY KEY \(\w+=\? AND \w+[=>]\?\)/);
    }
  });
});
