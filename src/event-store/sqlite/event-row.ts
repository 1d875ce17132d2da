import type { StoredEvent } from '../event-store.js';

export const EVENT_COLUMNS = 'position, stream, revision, id, type, data, metadata';

/** A row as read with `bigints`. */
export interface EventRow {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

export function storedEvent(row: EventRow): StoredEvent {
  const { position, stream, id, type, data, metadata } = row;
  return { position, stream, revision: Number(row.revision), id, type, data, metadata };
}
