import type { EventCatalogue } from '../../events/catalogue.js';
import type { DurableSubscriberOptions, EventHandler } from './durable-subscriber.js';
import type { Subscription } from './subscriber-consumer.js';

/** Events and where they are: streams whose name begins with one of the prefixes. */
export interface EventKind {
  readonly prefixes: readonly string[];
  readonly events: EventCatalogue;
}

/** A provider as it was found. */
export interface FoundSubscriber {
  readonly providerName: string;
  /** Undefined for a provider that is made anew for each request. */
  readonly instance: Partial<EventHandler> | undefined;
  readonly options: DurableSubscriberOptions;
}

/** Subscribers are declared wrongly: the start ends with this, which names each provider and its fault. */
class SubscribersMisdeclared extends Error {
  override readonly name = 'SubscribersMisdeclared';
  constructor(readonly faults: readonly string[]) {
    super(`durable subscribers are declared wrongly:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);
  }
}

const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** @throws {SubscribersMisdeclared} */
export function subscriptionsOf(found: readonly FoundSubscriber[], kinds: readonly EventKind[]): Subscription[] {
  const faults = [...found.flatMap((subscriber) => faultsOf(subscriber, kinds)), ...sharedNames(found)];
  if (faults.length > 0) throw new SubscribersMisdeclared(faults);
  return found.map(({ instance, options: { name, events } }) => ({
    name,
    events,
    prefixes: kinds.filter((kind) => events.some((event) => isOf(kind, event))).flatMap((kind) => kind.prefixes),
    handler: instance as EventHandler,
  }));
}

function faultsOf({ providerName, instance, options }: FoundSubscriber, kinds: readonly EventKind[]): string[] {
  const { name, events } = options;
  const faults: string[] = [];
  if (!NAME.test(name)) faults.push(`the name "${name}" has other characters than a-z, 0-9 and hyphen, or is too long`);
  if (instance === undefined) faults.push('it is made anew for each request, so no event can reach it');
  else if (typeof instance.handle !== 'function') faults.push('it has no method handle(event)');
  if (events.length === 0) faults.push('it names no event');
  for (const event of events) {
    if (!kinds.some((kind) => isOf(kind, event))) faults.push(`there is no event "${event}"`);
  }
  return faults.map((fault) => `${providerName}: ${fault}`);
}

function isOf(kind: EventKind, event: string): boolean {
  return Object.hasOwn(kind.events, event);
}

function sharedNames(found: readonly FoundSubscriber[]): string[] {
  const names = new Set(found.map((subscriber) => subscriber.options.name));
  return [...names].flatMap((name) => {
    const sharing = found.filter((subscriber) => subscriber.options.name === name);
    const providers = sharing.map((subscriber) => subscriber.providerName).join(', ');
    return sharing.length === 1 ? [] : [`${providers}: they share the name "${name}"`];
  });
}
