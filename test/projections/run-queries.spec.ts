import { Global, Module } from '@nestjs/common';
import { CqrsModule, type Query, QueryBus } from '@nestjs/cqrs';
import { Test, type TestingModule } from '@nestjs/testing';
import { Clock } from '../../src/event-store/clock.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { Entropy } from '../../src/event-store/entropy.js';
import { StoreUnavailable } from '../../src/event-store/errors.js';
import { EventStore } from '../../src/event-store/event-store.js';
import { Streams } from '../../src/event-store/streams.js';
import { type NewRunEvent, runStream } from '../../src/events/run-events.js';
import type { Principal } from '../../src/governance/principal.js';
import { ToolCatalogue } from '../../src/governance/tool-catalogue.js';
import { ProjectionsModule } from '../../src/projections/projections.module.js';
import { AwaitRun } from '../../src/projections/runs/await-run.query.js';
import { GetPause } from '../../src/projections/runs/get-pause.query.js';
import { GetRun } from '../../src/projections/runs/get-run.query.js';
import { GetTimeline } from '../../src/projections/runs/get-timeline.query.js';
import { ListInbox } from '../../src/projections/runs/list-inbox.query.js';
import { ListRuns } from '../../src/projections/runs/list-runs.query.js';
import { RunChanges } from '../../src/projections/runs/run-changes.js';
import { RunsFeed } from '../../src/projections/runs/runs-feed.js';
import { ASK, askingForApproval, askingForInput, askingForResolution, LOOK, REFUND } from '../support/asking-run.js';
import { ada, approver, EVERYBODY, gina, olga, pete, reader } from '../support/people.js';
import { completed, INPUT_SCHEMA, inputSubmitted, runClaimed, runStarted } from '../support/run-history.js';
import { RunWriter } from '../support/run-writer.js';
import { VirtualClock } from '../support/virtual-clock.js';

const erased = (scope: 'working' | 'outcome'): NewRunEvent => ({
  type: 'RunContentErased',
  data: { scope, reason: 'age' },
});
const released: NewRunEvent = {
  type: 'RunReleased',
  data: { reason: 'submitter_not_permitted', toolName: 'ask' },
};

/** Names of the tools that the service has at this moment. */
const registered = new Set<string>();

class CatalogueOfNames extends ToolCatalogue {
  override has(name: string): boolean {
    return registered.has(name);
  }

  override list() {
    return Promise.resolve([]);
  }
}

describe('Queries on runs', () => {
  let clock: VirtualClock;
  let writer: RunWriter;
  let application: TestingModule;
  let queries: QueryBus;

  beforeEach(async () => {
    for (const name of ['look', 'ask', 'refund']) registered.add(name);
    clock = new VirtualClock();
    writer = new RunWriter(clock);
    const ports = [
      { provide: EventStore, useValue: writer.store },
      { provide: EventCodec, useValue: writer.codec },
      { provide: Streams, useValue: writer.streams },
      { provide: Clock, useValue: clock },
      { provide: Entropy, useValue: writer.entropy },
      { provide: ToolCatalogue, useClass: CatalogueOfNames },
    ];
    @Global()
    @Module({ providers: ports, exports: ports })
    class Ports {}
    const imports = [
      Ports,
      CqrsModule.forRoot(),
      ProjectionsModule.forRoot({ file: ':memory:', auditFile: ':memory:', recordsFile: ':memory:' }),
    ];
    application = await Test.createTestingModule({ imports }).compile();
    application.useLogger(false);
    await application.init();
    queries = application.get(QueryBus);
  });
  afterEach(() => application.close());

  /** The answer, with as much time as it takes. */
  const ask = <Answer>(query: Query<Answer>): Promise<Answer> => clock.until(queries.execute(query));
  const write = async (...events: NewRunEvent[]) => (await writer.write('r1', ...events)).at(-1)?.position;

  describe('for one run', () => {
    it('show its status, never its transcript', async () => {
      await write(...askingForInput());
      expect(await ask(new GetRun(olga, 'r1'))).toEqual({
        id: 'r1',
        status: 'waiting_for_input',
        revision: 3,
        ownerId: 'olga',
        configurationId: 'demo',
        iterations: 1,
        usage: { inputTokens: 3, outputTokens: 2 },
        createdAt: '2030-01-01T00:00:00.000Z',
        updatedAt: '2030-01-01T00:00:00.000Z',
        pause: {
          kind: 'input',
          turnDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
          since: '2030-01-01T00:00:00.000Z',
          requests: [{ callId: 'c2', toolName: 'ask' }],
        },
      });
    });

    it('say why an answer was handed back', async () => {
      await write(...askingForInput(), inputSubmitted(), released);
      expect(await ask(new GetRun(olga, 'r1'))).toMatchObject({
        status: 'waiting_for_input',
        pause: {
          released: { at: '2030-01-01T00:00:00.000Z', reason: 'submitter_not_permitted', toolName: 'ask' },
        },
      });
    });

    it('open the final answer, and nothing else', async () => {
      await write(runStarted(), runClaimed(), completed);
      expect(await ask(new GetRun(olga, 'r1'))).toMatchObject({
        status: 'completed',
        outcome: { reason: 'finished', truncated: false, content: 'bye' },
      });
      // Destroying what else was said leaves the answer as it is (SEA-2).
      await write(erased('working'));
      await writer.keys.destroy(runStream('r1'), 'working');
      expect(await ask(new GetRun(olga, 'r1'))).toMatchObject({
        outcome: { content: 'bye' },
        erased: { working: true, outcome: false },
      });
    });

    it('SEA-3 still show a run whose answer was erased, and mark it', async () => {
      await write(runStarted(), runClaimed(), completed);
      await writer.keys.destroy(runStream('r1'), 'outcome');
      const outcome = { reason: 'finished', truncated: false, contentErased: true };
      expect(await ask(new GetRun(olga, 'r1'))).toMatchObject({ outcome });
      await write(erased('outcome'));
      expect(await ask(new GetRun(olga, 'r1'))).toMatchObject({ outcome, erased: { outcome: true } });
      expect((await ask(new ListRuns(olga))).items).toHaveLength(1);
    });

    it('know of what a command has just written', async () => {
      await write(runStarted());
      await clock.settle();
      const position = await write(runClaimed());
      const run = await queries.execute(new GetRun(olga, 'r1', { atLeast: position as bigint }));
      expect(run?.status).toBe('running');
    });

    it('know of a run that was started a moment ago, without being told', async () => {
      await write(runStarted());
      expect((await queries.execute(new GetRun(olga, 'r1')))?.status).toBe('queued');
    });

    it.each(EVERYBODY)('SUB-1 tell $id of an unreachable run what they tell of an unknown one', async (who) => {
      await write(runStarted({ ownerId: 'somebody' }));
      const kinds = [
        (id: string) => new GetRun(who, id),
        (id: string) => new GetPause(who, id),
        (id: string) => new GetTimeline(who, id),
        (id: string) => new AwaitRun(who, id, { timeoutMs: 1_000 }),
      ];
      for (const kind of kinds) {
        const mayRead = who === ada || who === reader;
        expect(await ask<unknown>(kind('unknown'))).toBeNull();
        if (!mayRead) expect(await ask<unknown>(kind('r1'))).toBeNull();
      }
    });
  });

  describe('for a pause', () => {
    it('INP-12 show the whole request to whoever may answer, as often as they ask', async () => {
      await write(...askingForInput());
      const pause = {
        kind: 'input',
        turnDigest: expect.any(String),
        since: '2030-01-01T00:00:00.000Z',
        requests: [{ ...ASK, inputSchema: INPUT_SCHEMA }],
        otherCalls: [LOOK],
      };
      for (const who of [olga, ada, gina, approver, olga]) {
        expect(await ask(new GetPause(who, 'r1'))).toEqual({ outcome: 'found', pause });
      }
      for (const who of [pete, reader]) expect(await ask(new GetPause(who, 'r1'))).toBeNull();
    });

    it.each([
      ['input', askingForInput, ['ask'], ['ask']],
      ['input, beside it', askingForInput, ['look'], ['look']],
      ['approval', askingForApproval, ['refund', 'look'], ['look', 'refund']],
    ] as const)('SUB-2 name tools that are gone, without which nobody can release the turn: %s', async (...given) => {
      const [_kind, asking, gone, missingTools] = given;
      await write(...asking());
      for (const name of gone) registered.delete(name);
      expect(await ask(new GetPause(olga, 'r1'))).toMatchObject({ outcome: 'found', pause: { missingTools } });
      for (const name of gone) registered.add(name);
      const found = await ask(new GetPause(olga, 'r1'));
      expect(found?.outcome === 'found' ? found.pause : {}).not.toHaveProperty('missingTools');
    });

    it('APP-4 show what an approval would do', async () => {
      await write(...askingForApproval());
      expect(await ask(new GetPause(olga, 'r1'))).toMatchObject({
        outcome: 'found',
        pause: {
          kind: 'approval',
          requests: [{ ...REFUND, effect: 'non_idempotent_write', preview: ['Refunds 5 cents.'] }],
          otherCalls: [LOOK],
        },
      });
    });

    it('CLM-4 show the write that has to be looked into, with the arguments it was begun with', async () => {
      await write(...askingForResolution());
      const request = {
        callId: 'c2',
        toolName: 'refund',
        arguments: { cents: 5, currency: 'EUR' },
        effect: 'non_idempotent_write',
      };
      expect(await ask(new GetPause(ada, 'r1'))).toEqual({
        outcome: 'found',
        pause: {
          kind: 'resolution',
          turnDigest: null,
          since: '2030-01-01T00:00:00.000Z',
          requests: [request],
          otherCalls: [LOOK],
        },
      });
    });

    it('tell the owner of a run that does not wait that it has none, and a helper nothing', async () => {
      await write(...askingForInput(), inputSubmitted());
      expect(await ask(new GetPause(olga, 'r1'))).toEqual({ outcome: 'no_pause' });
      expect(await ask(new GetPause(gina, 'r1'))).toBeNull();
    });

    it('go by the run itself where the rows are behind', async () => {
      await write(...askingForInput());
      await clock.settle();
      const answering = write(inputSubmitted());
      const [found, helpers] = await Promise.all([
        answering.then(() => queries.execute(new GetPause(olga, 'r1'))),
        answering.then(() => queries.execute(new GetPause(gina, 'r1'))),
      ]);
      expect(found).toEqual({ outcome: 'no_pause' });
      expect(helpers).toBeNull();
    });

    it('INP-5 say that a pause cannot be read', async () => {
      await write(...askingForInput({ inputSchema: { type: 'object' } }));
      expect(await ask(new GetPause(olga, 'r1'))).toEqual({ outcome: 'corrupt', errorClass: 'unusable_schema' });
    });

    it('say so of a run of which an event cannot be read', async () => {
      await write(...askingForInput());
      await clock.settle();
      writer.writeUnreadable('r1', 'LeaseExtended');
      expect(await ask(new GetPause(olga, 'r1'))).toEqual({ outcome: 'corrupt', errorClass: 'unreadable_content' });
    });
  });

  describe('for the timeline', () => {
    it('show what happened, when and by whom, and no content', async () => {
      await write(...askingForInput());
      await clock.advance(1_000);
      await write(inputSubmitted());
      const timeline = await ask(new GetTimeline(olga, 'r1'));
      expect(timeline?.map((entry) => entry.type)).toEqual([
        'RunStarted',
        'RunClaimed',
        'ModelResponded',
        'RunSuspendedForInput',
        'InputSubmitted',
      ]);
      expect(timeline?.at(-1)).toEqual({
        sequence: 4,
        type: 'InputSubmitted',
        at: '2030-01-01T00:00:01.000Z',
        actor: { kind: 'system', id: 'test' },
        submittedBy: 'sam',
        turnDigest: 'a'.repeat(64),
      });
      expect(JSON.stringify(timeline)).not.toMatch(/sealed|eyJ|hello|let me ask|Mac/);
    });

    it('go on behind a sequence, a few at a time', async () => {
      await write(...askingForInput());
      const sequences = async (options: { after?: number; limit?: number }) =>
        (await ask(new GetTimeline(olga, 'r1', options)))?.map((entry) => entry.sequence);
      expect(await sequences({ after: 1 })).toEqual([2, 3]);
      expect(await sequences({ after: 0, limit: 2 })).toEqual([1, 2]);
      expect(await sequences({ after: 3 })).toEqual([]);
    });

    it('wait for what comes next, for a while', async () => {
      await write(...askingForInput());
      const following = queries.execute(new GetTimeline(olga, 'r1', { after: 3, waitMs: 15_000 }));
      await clock.advance(5_000);
      await write(inputSubmitted());
      await expect(following).resolves.toMatchObject([{ sequence: 4, type: 'InputSubmitted' }]);
      await expect(ask(new GetTimeline(olga, 'r1', { after: 4, waitMs: 15_000 }))).resolves.toEqual([]);
    });

    it('SUB-1 end for a helper when the run no longer waits', async () => {
      await write(...askingForInput());
      const following = queries.execute(new GetTimeline(gina, 'r1', { after: 3, waitMs: 15_000 }));
      await clock.settle();
      await write(inputSubmitted());
      await expect(following).resolves.toBeNull();
    });

    it('show an event that cannot be read as such', async () => {
      await write(runStarted());
      await clock.settle();
      writer.writeUnreadable('r1');
      const timeline = await ask(new GetTimeline(olga, 'r1'));
      expect(timeline?.[1]).toEqual({ sequence: 1, type: 'ModelResponded', at: null, unreadable: expect.any(String) });
    });
  });

  describe('that wait for a run', () => {
    const waiting = (who: Principal, atLeast: bigint | undefined, timeoutMs = 60_000, signal?: AbortSignal) =>
      queries.execute(new AwaitRun(who, 'r1', { atLeast: atLeast as bigint, timeoutMs, ...(signal && { signal }) }));

    it('are answered when it pauses', async () => {
      const position = await write(runStarted());
      const answer = waiting(olga, position);
      await clock.advance(10_000);
      await write(...askingForInput().slice(1));
      await expect(answer).resolves.toMatchObject({ status: 'waiting_for_input' });
    });

    it('are answered when it settles, with the final answer', async () => {
      const position = await write(runStarted(), runClaimed());
      const answer = waiting(olga, position);
      await clock.settle();
      await write(completed);
      await expect(answer).resolves.toMatchObject({ status: 'completed', outcome: { content: 'bye' } });
    });

    it('do not take the pause that was answered for a new one', async () => {
      await write(...askingForInput());
      await clock.settle();
      const position = await write(inputSubmitted());
      let over = false;
      const answer = waiting(olga, position).finally(() => {
        over = true;
      });
      await clock.advance(1_000);
      expect(over).toBe(false);
      await write(runClaimed(), completed);
      await expect(answer).resolves.toMatchObject({ status: 'completed' });
    });

    it('are answered with the run as it is when the time is up, or at their signal', async () => {
      const position = await write(runStarted());
      await expect(clock.until(waiting(olga, position, 5_000))).resolves.toMatchObject({ status: 'queued' });
      const leaving = new AbortController();
      const answer = waiting(olga, position, 60_000, leaving.signal);
      await clock.settle();
      leaving.abort();
      await expect(answer).resolves.toMatchObject({ status: 'queued' });
    });

    it('SUB-1 show whoever answered with a grant the next pause, and nothing in between', async () => {
      await write(...askingForInput());
      const position = await write(inputSubmitted());
      const next = waiting(gina, position);
      await clock.settle();
      await write(released);
      await expect(next).resolves.toMatchObject({ status: 'waiting_for_input' });
      const settling = waiting(gina, await write(inputSubmitted({ turnDigest: 'c'.repeat(64) })));
      await clock.settle();
      await write({ type: 'RunCancelled', data: { cancelledBy: 'olga' } });
      await expect(settling).resolves.toBeNull();
    });
  });

  it('for the inbox show who waits', async () => {
    await write(...askingForInput());
    await clock.settle();
    expect((await ask(new ListInbox(gina))).items).toMatchObject([{ runId: 'r1', kind: 'input', toolNames: ['ask'] }]);
    expect((await ask(new ListInbox(pete))).items).toEqual([]);
  });

  it('can be asked again when the rows know something new, and not before', async () => {
    const told: string[][] = [];
    const stopListening = application.get(RunChanges).listen((runIds) => told.push([...runIds]));
    await write(...askingForInput());
    await writer.write('r2', runStarted());
    await clock.settle();
    expect(told.flat()).toEqual(['r1', 'r2']);
    stopListening();
    await write(inputSubmitted());
    await clock.settle();
    expect(told.flat()).toHaveLength(2);
  });

  it('say that the store is away when the read models are', async () => {
    const feed = application.get(RunsFeed);
    await feed.beforeApplicationShutdown();
    feed.onApplicationShutdown();
    await expect(ask(new ListInbox(ada))).rejects.toThrow(StoreUnavailable);
    expect(feed.reading().state).toBe('stopped');
  });
});
