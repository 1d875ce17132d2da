import { applyDecorators, Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { FeedEvent } from '../feed-consumer.js';

export interface DurableSubscriberOptions {
  /**
   * Under which its checkpoint is kept: lower-case letters, digits and hyphens. A subscriber with another name begins at
   * the first event of the log.
   */
  readonly name: string;
  /** Names of the events that it gets. */
  readonly events: readonly string[];
}

/** What a provider decorated with {@link DurableSubscriber} must have. */
export interface EventHandler {
  /**
   * Called with every such event, one at a time, each at least once, in order within a stream. Events whose handling
   * fails a few times are parked, and what follows in their stream with them; throw `RetryLater` where it is merely the
   * wrong moment, as when a service that is needed is away. Content is sealed.
   */
  handle(event: FeedEvent): void | Promise<void>;
}

/** The metadata by which subscribers are discovered. */
export const DurableSubscription = DiscoveryService.createDecorator<DurableSubscriberOptions>();

/**
 * Makes a provider a subscriber of the event log that survives restarts: it goes on from its own checkpoint, and of
 * several processes on one data folder one delivers at a time.
 */
export function DurableSubscriber(options: DurableSubscriberOptions): ClassDecorator {
  return applyDecorators(Injectable(), DurableSubscription(options));
}
