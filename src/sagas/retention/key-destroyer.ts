import type { KeyScope } from '../../event-store/key-store.js';
import { KeyStore } from '../../event-store/key-store.js';
import { DurableSubscriber, type EventHandler } from '../../subscriptions/durable/durable-subscriber.js';
import type { FeedEvent } from '../../subscriptions/feed-consumer.js';

/**
 * Destroys the key of content that was erased, and acknowledges only then: between the two a crash means that it is
 * destroyed again, which succeeds (SEA-2).
 */
@DurableSubscriber({ name: 'key-destroyer', events: ['RunContentErased'] })
export class KeyDestroyer implements EventHandler {
  constructor(private readonly keys: KeyStore) {}

  async handle({ stream, data }: FeedEvent): Promise<void> {
    await this.keys.destroy(stream, data.scope as KeyScope);
  }
}
