import { DatabaseUnavailable } from '../../sqlite/errors.js';
import { backOffMs } from '../back-off.js';
import { type FeedReading, type FeedReport, FeedRunner, type FeedRunnerPorts } from '../feed-runner.js';
import { isPassing } from '../patience.js';
import { DeliveryLease, LEASE_MS } from './delivery-lease.js';
import { SubscriberConsumer, type Subscription } from './subscriber-consumer.js';
import type { SubscribersFile } from './subscribers-file.js';

export interface LeasedDeliveryOptions {
  /** Names this process among those on the data folder. */
  readonly holder: string;
  readonly report?: (report: FeedReport) => void;
}

const RENEW_MS = LEASE_MS / 3;

/** Delivers to one subscriber for as long as this process holds the lease, and stands by while another does. */
export class LeasedDelivery {
  readonly consumer: SubscriberConsumer;
  readonly #lease: DeliveryLease;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #runner: FeedRunner | undefined;
  #retrying: Promise<void> = Promise.resolve();

  constructor(
    subscription: Subscription,
    private readonly file: SubscribersFile,
    private readonly ports: FeedRunnerPorts,
    private readonly options: LeasedDeliveryOptions,
  ) {
    this.#lease = new DeliveryLease(file, subscription.name, options.holder, ports.clock);
    const mayDeliver = () => this.#lease.held && !this.#stopping.signal.aborted;
    this.consumer = new SubscriberConsumer(subscription, file, mayDeliver, ports);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when the event under way is handled; another process can deliver from then on. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Null while another process delivers. */
  reading(): FeedReading | null {
    return this.#runner?.reading() ?? null;
  }

  /**
   * Has parked events tried again: here, resolving when that was done, or by the process that delivers, soon.
   *
   * @throws {DatabaseUnavailable}
   */
  async retry(): Promise<void> {
    this.file.askForRetry(this.consumer.name);
    if (this.#lease.held) this.#retryIfAsked();
    await this.#retrying;
  }

  async #run(): Promise<void> {
    const { clock, entropy } = this.ports;
    while (!this.#stopping.signal.aborted) {
      if (this.#lease.take()) await this.#deliverWhileHeld();
      const pauseMs = backOffMs({ firstMs: RENEW_MS, longestMs: RENEW_MS }, 1, entropy.fraction());
      await clock.wait(pauseMs, this.#stopping.signal);
    }
  }

  async #deliverWhileHeld(): Promise<void> {
    const { report } = this.options;
    this.#runner = new FeedRunner(this.consumer, this.ports, report === undefined ? {} : { report });
    this.#runner.start();
    // A version that was started since may be able to handle what an earlier one parked.
    this.#retryParked();
    do {
      this.#retryIfAsked();
      await this.ports.clock.wait(RENEW_MS, this.#stopping.signal);
    } while (!this.#stopping.signal.aborted && this.#lease.take());
    await this.#runner.stop();
    await this.#retrying;
    this.#runner = undefined;
    this.#lease.release();
  }

  #retryIfAsked(): void {
    this.#whileFileIsThere(() => {
      if (this.file.takeRetry(this.consumer.name)) this.#retryParked();
    });
  }

  #retryParked(): void {
    const retried = this.#retrying.then(() => this.consumer.retryParked());
    this.#retrying = retried.catch((error) => {
      // It was the wrong moment: asked for again, it is tried when the lease is renewed. A fault of ours is not.
      if (isPassing(error)) this.#whileFileIsThere(() => this.file.askForRetry(this.consumer.name));
    });
  }

  #whileFileIsThere(action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
    }
  }
}
