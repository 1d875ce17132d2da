import {
  type BeforeApplicationShutdown,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import type { ParkedEvent } from '../feed-consumer.js';
import { reportTo } from '../feed-log.js';
import type { FeedReading, FeedRunnerPorts } from '../feed-runner.js';
import { DurableSubscription, type EventHandler } from './durable-subscriber.js';
import { LeasedDelivery } from './leased-delivery.js';
import type { SubscribersFile } from './subscribers-file.js';
import { type EventKind, type FoundSubscriber, subscriptionsOf } from './subscription-faults.js';

export interface DurableSubscribersOptions {
  /** Every event that can be subscribed to. */
  readonly kinds: readonly EventKind[];
  /** Names this process among those on the data folder. */
  readonly holder: string;
  /** False in a process that only looks at what is parked. */
  readonly deliver: boolean;
}

/** Finds the subscribers among the application's providers and delivers to them for as long as it runs. */
export class DurableSubscribers
  implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private deliveries: readonly LeasedDelivery[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly file: SubscribersFile,
    private readonly ports: FeedRunnerPorts,
    private readonly options: DurableSubscribersOptions,
  ) {}

  /** What is parked, by subscriber, in log order. @throws {DatabaseUnavailable} */
  parked(): { readonly subscriber: string; readonly events: readonly ParkedEvent[] }[] {
    return this.deliveries.map(({ consumer }) => ({ subscriber: consumer.name, events: consumer.parked() }));
  }

  /**
   * Has what is parked for a subscriber tried again; resolves when this process has done so, and at once where another
   * delivers, which does it soon.
   *
   * @returns false where there is no such subscriber. @throws {DatabaseUnavailable}
   */
  async retry(subscriber: string): Promise<boolean> {
    const delivery = this.deliveries.find(({ consumer }) => consumer.name === subscriber);
    await delivery?.retry();
    return delivery !== undefined;
  }

  /** Of the subscribers to whom this process delivers. */
  readings(): FeedReading[] {
    return this.deliveries.map((delivery) => delivery.reading()).filter((reading) => reading !== null);
  }

  /** @throws {Error} one is declared wrongly; the message names it and its fault. */
  onModuleInit(): void {
    const report = reportTo(new Logger(DurableSubscribers.name));
    const { kinds, holder } = this.options;
    this.deliveries = subscriptionsOf(this.found(), kinds).map(
      (subscription) => new LeasedDelivery(subscription, this.file, this.ports, { holder, report }),
    );
  }

  onApplicationBootstrap(): void {
    if (this.options.deliver) for (const delivery of this.deliveries) delivery.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.deliveries.map((delivery) => delivery.stop()));
  }

  onApplicationShutdown(): void {
    this.file.close();
  }

  private found(): FoundSubscriber[] {
    const wrappers = this.discovery.getProviders({ metadataKey: DurableSubscription.KEY });
    const found = wrappers.flatMap((wrapper) => {
      const options = this.discovery.getMetadataByDecorator(DurableSubscription, wrapper);
      if (options === undefined) return [];
      const instance = wrapper.isDependencyTreeStatic() ? (wrapper.instance as Partial<EventHandler>) : undefined;
      return [{ providerName: String(wrapper.name), instance, options }];
    });
    return found.sort((one, other) => (one.providerName < other.providerName ? -1 : 1));
  }
}
