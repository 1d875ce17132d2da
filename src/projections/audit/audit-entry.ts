import type { Actor } from '../../events/event.js';
import type { JsonObject } from '../../events/json.js';
import { REFUSAL_STREAM_PREFIX } from '../../events/refusal-events.js';
import { RUN_STREAM_PREFIX } from '../../events/run-events.js';
import type { FeedEvent } from '../../subscriptions/feed-consumer.js';
import type { RunAuditKind } from './audited-events.js';

/** A call as it was shown: whoever answered has seen it with its arguments, which are content and not here. */
export interface ShownCall {
  readonly callId: string;
  /** Null where the model named no registered tool. */
  readonly toolName: string | null;
}

/** The turn that an answer was about. */
export interface ShownTurn {
  readonly turnDigest: string;
  /** All calls of the turn, in the model's order. */
  readonly calls: readonly ShownCall[];
}

/** One thing that somebody did, or tried to do. Clear fields alone. */
export interface AuditEntry {
  /** Place in the log, as decimal digits. */
  readonly id: string;
  readonly at: string;
  /** Who did it; for a release the worker that found the answer to be no longer permitted. */
  readonly actor: Actor;
  /** The event's name. */
  readonly kind: string;
  readonly runId?: string;
  readonly subject: { readonly kind: string; readonly id: string };
  /** What came of it, in one word. */
  readonly outcome: string;
  readonly reason?: string;
  /** For a refusal by the tool gate: why it did not admit whoever answered. */
  readonly denial?: string;
  /** For a refusal: what kind of answer it was. */
  readonly answer?: string;
  readonly toolName?: string;
  readonly sourceId?: string;
  readonly dataClass?: string;
  readonly zone?: string;
  readonly callId?: string;
  /** Which of a run's content was erased. */
  readonly scope?: string;
  readonly shown?: ShownTurn;
  /** For a change of governance: the clear fields of what was put, issued or revoked. */
  readonly document?: JsonObject;
}

type Told = Omit<AuditEntry, 'id' | 'at' | 'actor' | 'kind' | 'runId' | 'subject'>;

/** Looks up what was shown when a run waited with this turn; `null` stands for the turn that it waited with last. */
export type ShownLookUp = (runId: string, turnDigest: string | null) => ShownTurn | undefined;

/** @param event of one of the audited kinds */
export function auditEntry(event: FeedEvent, shown: ShownLookUp): AuditEntry {
  const { position, at, actor, type: kind, stream } = event;
  const runId = runIdIn(stream);
  const told = runId === undefined ? changeOf(event) : toldOfRun(event, runId, shown);
  return {
    id: position.toString(),
    at,
    actor,
    kind,
    ...(runId === undefined ? {} : { runId }),
    subject: runId === undefined ? subjectOf(stream) : { kind: 'run', id: runId },
    ...withoutAbsent(told),
  };
}

/** The run that a stream is about; undefined for a stream of governance. */
export function runIdIn(stream: string): string | undefined {
  const prefix = [RUN_STREAM_PREFIX, REFUSAL_STREAM_PREFIX].find((one) => stream.startsWith(one));
  return prefix === undefined ? undefined : stream.slice(prefix.length);
}

/** Streams of governance are named after the kind of record and its id. */
function subjectOf(stream: string): AuditEntry['subject'] {
  const end = stream.indexOf('-');
  return { kind: stream.slice(0, end), id: stream.slice(end + 1) };
}

function toldOfRun(event: FeedEvent, runId: string, shown: ShownLookUp): Told {
  // Checked by the codec against the schema of its type; the fields below are those of the events of runs.
  const data = event.data as Readonly<Record<string, string & boolean>>;
  const answered = () => {
    const turn = shown(runId, data.turnDigest ?? null);
    return turn === undefined ? {} : { shown: turn };
  };
  const kind = event.type as RunAuditKind;
  switch (kind) {
    case 'InputSubmitted':
      return { outcome: 'submitted', ...answered() };
    case 'ApprovalDecided':
      return { outcome: data.approved ? 'approved' : 'denied', ...answered() };
    case 'CallResolved':
      return { outcome: data.verdict ?? '', ...picked(data, 'callId') };
    case 'RunReleased':
      return {
        outcome: 'released',
        ...picked(data, 'reason', 'toolName', 'sourceId', 'dataClass', 'zone'),
        ...answered(),
      };
    case 'RunCancelled':
      return { outcome: 'cancelled' };
    case 'RunContentErased':
      return { outcome: 'erased', ...picked(data, 'reason', 'scope') };
    case 'AnswerRefused': {
      const { reason: denial, refusal: reason } = data;
      return {
        outcome: 'refused',
        ...picked({ ...data, reason, denial }, 'reason', 'denial', 'answer', 'toolName'),
        ...picked(data, 'sourceId', 'dataClass', 'zone'),
        ...answered(),
      };
    }
  }
}

/** Recognises a token; nobody who reads needs it. */
const NOT_TOLD = new Set(['hash']);

/** What happened, in an event's name: a word in the past. */
const VERB = /[A-Z][a-z]*(?:ed|ut)(?![a-z])/;

/** A change of any record: its event is called after what happened to it. */
function changeOf({ type, data }: FeedEvent): Told {
  const [verb = type] = VERB.exec(type) ?? [];
  const document = Object.fromEntries(Object.entries(data).filter(([name]) => !NOT_TOLD.has(name)));
  return { outcome: verb.toLowerCase(), ...(Object.keys(document).length === 0 ? {} : { document }) };
}

function picked(
  data: Readonly<Record<string, string | null | undefined>>,
  ...names: readonly Exclude<keyof Told, 'outcome' | 'shown' | 'document'>[]
): Partial<Told> {
  return Object.fromEntries(names.map((name) => [name, data[name]]));
}

/** Members that an event does not have, or has as `null`, are left out. */
function withoutAbsent(told: Told): Told {
  return Object.fromEntries(
    Object.entries(told).filter(([, member]) => member !== undefined && member !== null),
  ) as unknown as Told;
}
