import { CircuitBreakingModel } from '../../src/models/circuit-breaker.js';
import {
  type ModelAnswer,
  ModelCallFailed,
  type ModelClient,
  type ModelFailureClass,
} from '../../src/models/model-provider.js';
import { asking } from './asking.js';

const ANSWER: ModelAnswer = { model: 'm', text: '', calls: [], usage: { inputTokens: 0, outputTokens: 0 } };

/** A provider that is told what to do next, and counts who asked. */
class Provider implements ModelClient {
  asked = 0;
  failure: ModelFailureClass | null = null;

  async ask(): Promise<ModelAnswer> {
    this.asked += 1;
    if (this.failure !== null) throw new ModelCallFailed(this.failure);
    return ANSWER;
  }
}

async function outcomeOf(model: ModelClient): Promise<string> {
  try {
    await model.ask(asking());
    return 'answered';
  } catch (error) {
    return error instanceof ModelCallFailed ? error.failureClass : String(error);
  }
}

describe('CLM-5 a provider that fails again and again', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is left alone for a while, then tried by one call, and used again once that is answered', async () => {
    const provider = new Provider();
    const model = new CircuitBreakingModel(provider);
    provider.failure = 'server_error';
    for (let call = 0; call < 5; call += 1) expect(await outcomeOf(model)).toBe('server_error');
    expect(model.isOpen).toBe(true);
    expect(await outcomeOf(model)).toBe('circuit_open');
    expect(provider.asked).toBe(5);

    jest.advanceTimersByTime(30_000);
    expect(await outcomeOf(model)).toBe('server_error');
    expect(await outcomeOf(model)).toBe('circuit_open');

    provider.failure = null;
    jest.advanceTimersByTime(30_000);
    expect(await outcomeOf(model)).toBe('answered');
    expect(await outcomeOf(model)).toBe('answered');
    expect(model.isOpen).toBe(false);
  });

  it('is tried again after the same while when the clock was set back by hours meanwhile', async () => {
    const provider = new Provider();
    const model = new CircuitBreakingModel(provider);
    provider.failure = 'timeout';
    for (let call = 0; call < 5; call += 1) await outcomeOf(model);
    jest.setSystemTime(Date.now() - 5 * 3_600_000);
    jest.advanceTimersByTime(29_999);
    expect(await outcomeOf(model)).toBe('circuit_open');
    jest.advanceTimersByTime(1);
    expect(await outcomeOf(model)).toBe('timeout');
    expect(await outcomeOf(model)).toBe('circuit_open');
    provider.failure = null;
    jest.advanceTimersByTime(30_000);
    expect(await outcomeOf(model)).toBe('answered');
    expect(model.isOpen).toBe(false);
  });

  it.each<ModelFailureClass>(['rate_limited', 'bad_request', 'unauthorized'])(
    'is there all the same when it answers %s, and is asked again',
    async (failure) => {
      const provider = new Provider();
      const model = new CircuitBreakingModel(provider);
      provider.failure = failure;
      for (let call = 0; call < 20; call += 1) expect(await outcomeOf(model)).toBe(failure);
      expect(provider.asked).toBe(20);
    },
  );
});
