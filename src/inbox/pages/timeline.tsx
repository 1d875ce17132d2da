import type { TimelineEntry } from '../../projections/runs/get-timeline.query.js';
import { lookUp } from '../messages/fault-sentence.js';
import { Moment, Shown } from '../parts/text.js';
import type { Visit } from './visit.js';

interface TimelineProps {
  readonly visit: Visit;
  readonly timeline: readonly TimelineEntry[];
}

/** Steps of the machinery, which only somebody who looks for a fault wants to see. */
const TECHNICAL = new Set(['RunClaimed', 'LeaseExtended']);

/** What happened, in order, without content. */
export function Timeline({ visit, timeline }: TimelineProps) {
  const { t } = visit;
  const plain = timeline.filter(({ type }) => !TECHNICAL.has(type));
  return (
    <section class="timeline">
      <h2>{t.run.timeline}</h2>
      <Entries visit={visit} timeline={plain} />
      {plain.length === timeline.length ? null : (
        <details>
          <summary>{t.timeline.technical}</summary>
          <Entries visit={visit} timeline={timeline} />
        </details>
      )}
    </section>
  );
}

function Entries({ visit, timeline }: TimelineProps) {
  const { t } = visit;
  return (
    <ol>
      {timeline.map((entry) => (
        <li key={entry.sequence} class={toneOf(entry)}>
          <span class="what">{lookUp(t.event, entry.type)}</span>{' '}
          <span class="detail">
            <Shown text={detailOf(visit, entry)} />
          </span>
          {entry.at === null ? (
            <span class="quiet"> {t.timeline.unreadable}</span>
          ) : (
            <span class="when">
              <Moment at={entry.at} visit={visit} />
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

function toneOf({ type, outcome, approved }: TimelineEntry): string {
  if (type === 'RunFailed' || outcome === 'error' || outcome === 'refused') return 'bad';
  if (type === 'RunCompleted') return 'good';
  if (type.startsWith('RunSuspended')) return 'waits';
  return approved === undefined && type !== 'InputSubmitted' ? '' : 'person';
}

function detailOf({ t }: Visit, entry: TimelineEntry): string {
  const { type, toolName, outcome, approved, actor, reason, errorClass, scope, calls, requests, verdict } = entry;
  const parts = [
    typeof toolName === 'string' ? toolName : '',
    ...namesIn(type.startsWith('RunSuspended') ? requests : calls),
    typeof outcome === 'string'
      ? lookUp({ ok: t.timeline.ok, error: t.timeline.error, refused: t.timeline.refused }, outcome)
      : '',
    typeof approved === 'boolean' ? (approved ? t.timeline.approved : t.timeline.denied) : '',
    typeof verdict === 'string' && verdict in t.resolve ? String(t.resolve[verdict as 'executed']) : '',
    typeof scope === 'string' ? lookUp(t.erasedPart, scope) : '',
    typeof reason === 'string' ? lookUp(t.reason, reason) : '',
    typeof errorClass === 'string' && errorClass !== 'none' ? lookUp(t.reason, errorClass) : '',
    actor?.kind === 'principal' ? t.timeline.by(actor.id) : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function namesIn(calls: unknown): string[] {
  if (!Array.isArray(calls)) return [];
  const names = calls.map((call: { readonly toolName?: unknown }) => call.toolName);
  return [...new Set(names.filter((name): name is string => typeof name === 'string'))];
}

/** Who answered what, and when: what somebody wants to know who comes back to a run. */
export function AnsweredPauses({ visit, timeline }: TimelineProps) {
  const { t } = visit;
  const answers = timeline.flatMap((entry, index) => {
    if (entry.type !== 'InputSubmitted' && entry.type !== 'ApprovalDecided' && entry.type !== 'CallResolved') return [];
    const pause = timeline.slice(0, index).findLast(({ type }) => type.startsWith('RunSuspended'));
    return [
      {
        entry,
        tools:
          pause === undefined
            ? []
            : [...namesIn(pause.requests), ...(typeof pause.toolName === 'string' ? [pause.toolName] : [])],
      },
    ];
  });
  if (answers.length === 0) return null;
  return (
    <section class="answers">
      <h2>{t.run.answeredPauses}</h2>
      <ul>
        {answers.map(({ entry, tools }) => (
          <li key={entry.sequence}>
            <strong>
              <Shown text={entry.actor?.id ?? ''} />
            </strong>{' '}
            <Shown text={deedOf(visit, entry, tools.join(', '))} />
            {' · '}
            {entry.at === null ? null : <Moment at={entry.at} visit={visit} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function deedOf({ t: { timeline } }: Visit, { type, approved }: TimelineEntry, tools: string): string {
  if (type === 'ApprovalDecided') return approved === true ? timeline.hasApproved(tools) : timeline.hasDenied(tools);
  return type === 'InputSubmitted' ? timeline.gaveInput(tools) : timeline.hasResolved(tools);
}
