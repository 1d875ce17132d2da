import { AppendRefused, RevisionConflict, StoreUnavailable } from '../errors.js';
import type { ExpectedRevision, NewEvent } from '../event-store.js';
import { type MasterKey, MasterKeyUnusable } from '../master-key.js';
import type { MasterKeys } from '../master-keys.js';
import { type KeyStreams, type MasterKeyMarks, masterKeyMarked, masterKeyMarksIn } from './key-streams.js';
import type { KurrentDbEventStore } from './kurrentdb-event-store.js';

/**
 * Leaves a mark of the first master key in the log, and refuses every other (SEA-4).
 *
 * @param mayBegin whether a log without keys may get its mark; otherwise there is nothing to open.
 * @throws {MasterKeyUnusable} `wrong` @throws {StoreUnavailable}
 */
export async function markMasterKey(
  log: KurrentDbEventStore,
  streams: KeyStreams,
  masterKeys: MasterKeys,
  mayBegin: boolean,
): Promise<MasterKey> {
  let marks = await marksOf(log, streams);
  if (marks === undefined && mayBegin) {
    await appendUnlessOvertaken(log, streams.masterKey, 'no_stream', [masterKeyMarked(masterKeys.first.checkValue)]);
    marks = await marksOf(log, streams);
  }
  if (marks === undefined) throw new StoreUnavailable('the event store holds no keys of Holdpoint', false);
  const key = masterKeys.withCheckValue(marks.inUse);
  if (key !== undefined) return key;
  throw new MasterKeyUnusable(
    'wrong',
    'The master key is not the one that the stored keys were wrapped with. Start with the key that belongs to this data.',
  );
}

export async function marksOf(log: KurrentDbEventStore, streams: KeyStreams): Promise<MasterKeyMarks | undefined> {
  return masterKeyMarksIn(await log.read(streams.masterKey));
}

/**
 * The master key that a key is to be wrapped with now: while it is being changed the next one, if this process can get at
 * it; undefined where this process has neither.
 */
export function keyToWrapWith(marks: MasterKeyMarks, masterKeys: MasterKeys): MasterKey | undefined {
  const next = marks.next && masterKeys.withCheckValue(marks.next);
  return next ?? masterKeys.withCheckValue(marks.inUse);
}

/** An append to one of the key store's own streams. */
export async function appendUnlessOvertaken(
  log: KurrentDbEventStore,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<'appended' | 'overtaken' | 'destroyed'> {
  try {
    await log.append(stream, expected, events);
    return 'appended';
  } catch (error) {
    if (error instanceof RevisionConflict) return 'overtaken';
    if (error instanceof AppendRefused && error.refusal === 'stream_removed') return 'destroyed';
    throw error;
  }
}
