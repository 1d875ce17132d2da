import { Query } from '@nestjs/cqrs';
import type { UnreadableClass } from '../../event-store/codec.js';
import type { Actor } from '../../events/event.js';
import type { JsonValue } from '../../events/json.js';
import type { Principal } from '../../governance/principal.js';

/** One event of a run: what happened, when and by whom, beside the event's own clear fields. Never content. */
export interface TimelineEntry {
  /** Place in the run, from 0. */
  readonly sequence: number;
  /** The event's name. */
  readonly type: string;
  /** RFC 3339 UTC; null for an event that cannot be read. */
  readonly at: string | null;
  readonly actor?: Actor;
  /** Why the event cannot be read; absent for one that can. */
  readonly unreadable?: UnreadableClass;
  readonly [clearField: string]: JsonValue | Actor | undefined;
}

export interface TimelineOptions {
  /** Only entries behind this sequence; absent: all. */
  readonly after?: number;
  /** The most entries at once. */
  readonly limit?: number;
  /** Waits so many milliseconds for an entry where there is none yet. */
  readonly waitMs?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/**
 * What happened in a run, in order; null for a run that does not exist or is not (or no longer) for this principal,
 * which is asked each time. With `waitMs` it follows a run as it goes on.
 */
export class GetTimeline extends Query<readonly TimelineEntry[] | null> {
  constructor(
    readonly principal: Principal,
    readonly runId: string,
    readonly options: TimelineOptions = {},
  ) {
    super();
  }
}
