import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { Clock } from '../event-store/clock.js';
import { EventCodec } from '../event-store/codec.js';
import { Entropy } from '../event-store/entropy.js';
import { EventStore } from '../event-store/event-store.js';
import { DurableSubscribers } from './durable/durable-subscribers.js';
import { SubscribersFile } from './durable/subscribers-file.js';
import type { EventKind } from './durable/subscription-faults.js';

export interface SubscriptionsOptions {
  /** Path of the file with the subscribers' checkpoints. Not disposable. */
  readonly file: string;
  /** Every event that can be subscribed to, by the streams it is in. */
  readonly kinds: readonly EventKind[];
  /** False in a process that is not to deliver. Default true. */
  readonly deliver?: boolean;
}

/** Durable subscribers. `EventStore`, `EventCodec`, `Clock` and `Entropy` come from outside. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: to Nest a module is a class.
export class SubscriptionsModule {
  static forRoot({ file, kinds, deliver = true }: SubscriptionsOptions): DynamicModule {
    return {
      module: SubscriptionsModule,
      imports: [DiscoveryModule],
      providers: [
        { provide: SubscribersFile, useFactory: () => SubscribersFile.open(file) },
        {
          provide: DurableSubscribers,
          useFactory: (
            discovery: DiscoveryService,
            subscribers: SubscribersFile,
            store: EventStore,
            codec: EventCodec,
            clock: Clock,
            entropy: Entropy,
          ) => {
            const options = { kinds, holder: entropy.uuid(), deliver };
            return new DurableSubscribers(discovery, subscribers, { store, codec, clock, entropy }, options);
          },
          inject: [DiscoveryService, SubscribersFile, EventStore, EventCodec, Clock, Entropy],
        },
      ],
      exports: [DurableSubscribers],
    };
  }
}
