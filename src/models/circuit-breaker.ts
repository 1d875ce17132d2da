import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';
import { type ModelAnswer, ModelCallFailed, type ModelClient, type ModelRequest } from './model-provider.js';

/** Calls in a row that must fail before a provider is left alone. */
const FAILURES = 5;

/** How long it is left alone, in milliseconds; then one call tries whether it is back. */
const LEFT_ALONE_MS = 30_000;

/**
 * Leaves a provider alone that fails again and again, so that it does not take all segments: a call that is not made
 * fails at once, with the class `circuit_open`, and costs its run nothing but time.
 */
export class CircuitBreakingModel implements ModelClient {
  /** When it was opened last, by the time of day and by a clock that nobody sets. */
  private opened = { atMs: 0, monotonicMs: 0 };
  private readonly circuit = circuitBreaker(
    // A refusal by rate is an answer of a provider that is there.
    handleWhen((error) => error instanceof ModelCallFailed && error.retryable && error.failureClass !== 'rate_limited'),
    { halfOpenAfter: LEFT_ALONE_MS, breaker: new ConsecutiveBreaker(FAILURES) },
  );

  constructor(private readonly model: ModelClient) {
    this.circuit.onBreak(() => {
      this.opened = { atMs: Date.now(), monotonicMs: performance.now() };
    });
  }

  get isOpen(): boolean {
    return this.circuit.state === CircuitState.Open;
  }

  async ask(request: ModelRequest): Promise<ModelAnswer> {
    this.closeAfterSetBack();
    try {
      return await this.circuit.execute(() => this.model.ask(request));
    } catch (error) {
      if (error instanceof BrokenCircuitError) throw new ModelCallFailed('circuit_open', LEFT_ALONE_MS);
      throw error;
    }
  }

  /**
   * The circuit goes by the time of day. Where that was set back it would stay open for as long, so what has been open for
   * its whole time is closed here; the next failure opens it again.
   */
  private closeAfterSetBack(): void {
    const { atMs, monotonicMs } = this.opened;
    const isOver = performance.now() - monotonicMs >= LEFT_ALONE_MS;
    if (this.isOpen && isOver && Date.now() < atMs) this.circuit.isolate().dispose();
  }
}
