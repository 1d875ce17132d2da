import type { RecordedEventOf } from '../../events/event.js';
import {
  CONFIGURATION_STREAM_PREFIX,
  type ConfigurationEventType,
  PRINCIPAL_STREAM_PREFIX,
  type PrincipalPut,
  SKILL_STREAM_PREFIX,
  SNIPPET_STREAM_PREFIX,
  type SourceEventType,
} from '../../events/governance-events.js';
import type { FeedConsumer, FeedEvent, ParkedEvent } from '../../subscriptions/feed-consumer.js';
import { FeedProgress } from '../../subscriptions/feed-progress.js';
import type { ListedKind } from './records-list-query.js';
import type { RecordsTable } from './records-table.js';

type ListedEvent = RecordedEventOf<ConfigurationEventType | PrincipalPut | SourceEventType>;

const KINDS: readonly (readonly [prefix: string, kind: ListedKind])[] = [
  [CONFIGURATION_STREAM_PREFIX, 'configuration'],
  [PRINCIPAL_STREAM_PREFIX, 'principal'],
  [SNIPPET_STREAM_PREFIX, 'snippet'],
  [SKILL_STREAM_PREFIX, 'skill'],
];

const TYPES: ReadonlySet<string> = new Set<ListedEvent['type']>([
  'ConfigurationPut',
  'ConfigurationDeleted',
  'PrincipalPut',
  'SnippetPut',
  'SnippetDeleted',
  'SkillPut',
  'SkillDeleted',
]);

/**
 * Keeps one row for each governance record that stands, so that they can be listed. Nothing is decided by it: gates and
 * editors read the record's own stream. Rows and checkpoint are written in one transaction; the file is made anew from
 * the log whenever it is gone.
 */
export class RecordsProjection implements FeedConsumer {
  readonly name = 'records';
  readonly prefixes = KINDS.map(([prefix]) => prefix);
  readonly types = TYPES;
  readonly #progress: FeedProgress;

  constructor(private readonly table: RecordsTable) {
    this.#progress = new FeedProgress(table.database, this.name);
  }

  checkpoint(): bigint {
    return this.#progress.checkpoint();
  }

  begin(): void {
    this.#progress.begin();
  }

  reachedEnd(): void {
    this.#progress.rebuilt();
  }

  apply(events: readonly FeedEvent[], position: bigint): void {
    this.#progress.take(events, position, (unseen) => this.#write(unseen));
  }

  /** The row stays as it was: the next document of the record is whole again. */
  park(event: ParkedEvent): void {
    this.#progress.park(event);
  }

  parkedStreams(): readonly string[] {
    return this.#progress.parkedStreams();
  }

  replay(stream: string, events: readonly FeedEvent[], upTo: bigint): void {
    this.#progress.replay(stream, events, upTo, (passed) => {
      this.#forget(placeOf(stream));
      this.#write(passed.filter(({ type }) => TYPES.has(type)));
    });
  }

  #write(events: readonly FeedEvent[]): void {
    // The codec has checked them, and only these types are read.
    for (const event of events as readonly unknown[] as readonly ListedEvent[]) this.#take(event);
  }

  #take(event: ListedEvent): void {
    const place = placeOf(event.stream);
    switch (event.type) {
      case 'ConfigurationPut': {
        const { snippetIds, skillIds } = event.data;
        this.#put(place, event);
        this.table.putUses(place.id, [
          ...snippetIds.map((id) => `snippet:${id}`),
          ...skillIds.map((id) => `skill:${id}`),
        ]);
        return;
      }
      case 'PrincipalPut':
      case 'SnippetPut':
      case 'SkillPut':
        this.#put(place, event);
        return;
      case 'ConfigurationDeleted':
      case 'SnippetDeleted':
      case 'SkillDeleted':
        this.#forget(place);
        return;
    }
  }

  #put({ kind, id }: Place, { at, data }: ListedEvent): void {
    this.table.put(kind, { id, updatedAt: at, document: data });
  }

  #forget({ kind, id }: Place): void {
    this.table.delete(kind, id);
    if (kind === 'configuration') this.table.putUses(id, []);
  }
}

interface Place {
  readonly kind: ListedKind;
  readonly id: string;
}

function placeOf(stream: string): Place {
  const found = KINDS.find(([prefix]) => stream.startsWith(prefix));
  if (found === undefined) throw new Error('a stream of another kind of record');
  const [prefix, kind] = found;
  return { kind, id: stream.slice(prefix.length) };
}
