import { CALM } from '../support/memory-event-store.js';
import { expectProblem } from './expect-problem.js';
import { HttpService } from './http-service.js';

let service: HttpService;
let away = false;
let stuck = false;
let letGo = () => {};
beforeAll(async () => {
  service = await HttpService.start({
    plan: {
      ...CALM,
      readFate: () => (away ? 'refuse' : 'answer'),
      pause: (point) =>
        stuck && point === 'read'
          ? new Promise<void>((resolve) => {
              letGo = resolve;
            })
          : Promise.resolve(),
    },
  });
});
afterAll(() => service.stop());

describe('health', () => {
  it('a process that answers is live, whatever else is wrong', async () => {
    away = true;
    const live = await service.request('GET', '/health/live');
    away = false;
    expect([live.status, live.body]).toEqual([200, { status: 'ok' }]);
  });

  it('is ready while the store answers and the reads keep up', async () => {
    const ready = await service.request('GET', '/health/ready');
    expect([ready.status, ready.body]).toEqual([
      200,
      { status: 'ok', checks: { store: 'up', writes: 'up', projections: 'up' } },
    ]);
    service.progress.ms = 5_000;
    expect((await service.request('GET', '/health/ready')).status).toBe(200);
  });

  it('is not ready while the reads are more than 5 s behind', async () => {
    service.progress.ms = 5_001;
    const answer = await service.request('GET', '/health/ready');
    service.progress.ms = 0;
    expectProblem(answer, 'not-ready', {
      checks: { store: 'up', writes: 'up', projections: 'down' },
      because: ['The read models are behind the log.'],
    });
  });

  it('is not ready while the store is away, and says no more than that', async () => {
    away = true;
    const answer = await service.request('GET', '/health/ready');
    away = false;
    expectProblem(answer, 'not-ready', {
      checks: { store: 'down', writes: 'up', projections: 'up' },
      because: ['The store does not answer.'],
    });
  });

  it('is not ready while the store does not answer, and says so within a deadline', async () => {
    stuck = true;
    const answer = await service.request('GET', '/health/ready');
    stuck = false;
    letGo();
    expectProblem(answer, 'not-ready', {
      checks: { store: 'down', writes: 'up', projections: 'up' },
      because: ['The store does not answer.'],
    });
  });
});
