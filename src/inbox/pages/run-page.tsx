import type { ComponentChildren } from 'preact';
import { mayAdminister, reaches } from '../../governance/access.js';
import type { PauseFound, PauseView } from '../../projections/runs/get-pause.query.js';
import { MOST_AHEAD, type QueueView, type RunView } from '../../projections/runs/get-run.query.js';
import type { TimelineEntry } from '../../projections/runs/get-timeline.query.js';
import type { RequestForm } from '../form/form-view.js';
import { lookUp } from '../messages/fault-sentence.js';
import { Arguments } from '../parts/arguments.js';
import { Layout } from '../parts/layout.js';
import { Notice } from '../parts/notice.js';
import { Ago, Moment, Names, Shown } from '../parts/text.js';
import { type ApprovalDraft, ApprovalForm } from './approval-form.js';
import { InputForm, type InputProblem } from './input-form.js';
import { Outcome } from './outcome.js';
import { RequestCard } from './request-card.js';
import { type ResolutionDraft, ResolutionForm } from './resolution-form.js';
import { AnsweredPauses, Timeline } from './timeline.js';
import type { Visit } from './visit.js';

/** Everything that the page of a run shows. */
export interface RunPageContent {
  readonly run: RunView;
  /** Null for whoever may not answer. */
  readonly pause: PauseFound | null;
  readonly timeline: readonly TimelineEntry[];
  /** Forms of the requests for input, with what was typed. */
  readonly forms: readonly RequestForm[];
  /** What came of what was just sent. */
  readonly notice: ComponentChildren;
  readonly input: InputProblem | null;
  readonly approval: ApprovalDraft;
  readonly resolution: ResolutionDraft;
}

/** What the person must decide comes first; what surrounds it, after. */
export function RunPage({ visit, content }: { readonly visit: Visit; readonly content: RunPageContent }) {
  const { t, path } = visit;
  const { run, pause, timeline, notice } = content;
  const title = titleOf(visit, content);
  return (
    <Layout visit={visit} title={title} current="inbox" live={true} runId={run.id} revision={run.revision}>
      <p class="crumb">
        <a href={path()}>{t.run.back}</a>
      </p>
      {notice}
      <div class="headline">
        <h1>
          <Shown text={title} />
        </h1>
        <p class="facts">
          <span class={`badge ${run.status}`}>{lookUp(t.status, run.status)}</span>
          {run.pause === undefined ? null : (
            <span>
              {t.run.waitingFor} <Ago at={run.pause.since} visit={visit} />
            </span>
          )}
          <span>
            {t.run.owner}{' '}
            <strong>
              <Shown text={run.ownerId} />
            </strong>
          </span>
          <span>
            {t.run.configuration}{' '}
            <strong>
              <Shown text={run.configurationId} />
            </strong>
          </span>
        </p>
      </div>
      <div id="changed" class="changed" role="status" />
      <Released visit={visit} run={run} />
      <MissingTools visit={visit} pause={pause} />
      {pause?.outcome === 'found' && run.pause !== undefined ? (
        <Asked visit={visit} content={content} pause={pause.pause} />
      ) : (
        <Standing visit={visit} content={content} />
      )}
      <AnsweredPauses visit={visit} timeline={timeline} />
      <Timeline visit={visit} timeline={timeline} />
      <About visit={visit} run={run} />
    </Layout>
  );
}

function titleOf({ t }: Visit, { run, pause, forms }: RunPageContent): string {
  if (pause?.outcome !== 'found' || run.pause === undefined) return t.run.title(run.id.slice(0, 8));
  const { kind, requests } = pause.pause;
  const [first] = requests;
  const tool = first?.toolName ?? '';
  if (kind === 'resolution') return t.run.resolve(tool);
  if (kind === 'approval') return requests.length > 1 ? t.run.approveSeveral(requests.length) : t.run.approve(tool);
  if (requests.length > 1) return t.run.answerSeveral(requests.length);
  return forms[0]?.form.root.title ?? t.run.answer(tool);
}

function Released({ visit: { t }, run }: { readonly visit: Visit; readonly run: RunView }) {
  const released = run.pause?.released;
  if (released === undefined) return null;
  return (
    <Notice tone="warning" title={t.run.released}>
      <p>
        <Shown text={t.run.releasedWhy(lookUp(t.reason, released.reason), released.toolName ?? null)} />{' '}
        {t.run.releasedNext}
      </p>
    </Notice>
  );
}

/** Told before anything is typed: what would refuse every answer that executes something. */
function MissingTools({ visit: { t }, pause }: { readonly visit: Visit; readonly pause: PauseFound | null }) {
  const missing = (pause?.outcome === 'found' ? pause.pause.missingTools : undefined) ?? [];
  if (missing.length === 0) return null;
  return (
    <Notice tone="warning" title={t.run.toolsMissing}>
      <p>
        <Shown text={t.run.toolsMissingWhy(missing.join(', '))} /> {t.run.toolsMissingNext}
      </p>
    </Notice>
  );
}

interface PartProps {
  readonly visit: Visit;
  readonly content: RunPageContent;
}

/** A run that waits, for somebody who may answer it. */
function Asked({ visit, content, pause }: PartProps & { readonly pause: PauseView }) {
  const { t } = visit;
  const { run } = content;
  const turn = pause.turnDigest ?? '';
  const calls = pause.requests.map((request) => (
    <RequestCard
      key={request.callId}
      visit={visit}
      request={request}
      form={content.forms.find(({ callId }) => callId === request.callId)}
      foretold={pause.kind === 'approval'}
    />
  ));
  const others =
    pause.otherCalls.length === 0 ? null : (
      <section class="card quiet-card">
        <h2>{t.run.otherCalls}</h2>
        <p class="hint">{t.run.otherCallsHint}</p>
        {pause.otherCalls.map((call) => (
          <div key={call.callId}>
            <h3>
              <Shown text={call.toolName} />
            </h3>
            <Arguments value={call.arguments} label={`${t.run.arguments}: ${call.toolName}`} t={t} />
          </div>
        ))}
      </section>
    );
  switch (pause.kind) {
    case 'approval':
      return (
        <>
          {calls}
          {others}
          <ApprovalForm visit={visit} run={run} turn={turn} draft={content.approval} requests={pause.requests} />
        </>
      );
    case 'input':
      return (
        <>
          <InputForm visit={visit} run={run} turn={turn} forms={content.forms} problem={content.input} />
          {calls}
          {others}
        </>
      );
    case 'resolution':
      return (
        <>
          {calls}
          {others}
          {visit.caller !== null && mayAdminister(visit.caller) ? (
            <ResolutionForm visit={visit} run={run} request={pause.requests[0]} draft={content.resolution} />
          ) : (
            <p>{t.resolve.adminsOnly}</p>
          )}
        </>
      );
  }
}

/** A run that asks this person nothing. */
function Standing({ visit, content }: PartProps) {
  const { t } = visit;
  const { run, pause } = content;
  if (pause?.outcome === 'corrupt') {
    return (
      <Notice tone="bad" title={t.run.unreadable}>
        <p>{t.run.unreadableNext}</p>
      </Notice>
    );
  }
  if (run.outcome !== undefined) return <Outcome visit={visit} run={run} />;
  if (run.pause !== undefined) return <p class="lead">{t.run.notForYou}</p>;
  return (
    <>
      {run.queue === undefined ? <p class="lead">{t.run.working}</p> : <Queued visit={visit} queue={run.queue} />}
      <p class="quiet">{t.run.workingNext}</p>
    </>
  );
}

/** When it is this run's turn, as far as anybody can know. */
function Queued({ visit, queue: { ahead, notBefore } }: { readonly visit: Visit; readonly queue: QueueView }) {
  const { t } = visit;
  return (
    <p class="lead">
      {ahead >= MOST_AHEAD ? t.run.queuedFar(MOST_AHEAD) : t.run.queued(ahead)}
      {notBefore === undefined ? null : (
        <>
          {' '}
          {t.run.queuedUntil} <Moment at={notBefore} visit={visit} />.
        </>
      )}
    </p>
  );
}

function About({ visit, run }: { readonly visit: Visit; readonly run: RunView }) {
  const { t, caller, path } = visit;
  const mayCancel =
    caller !== null &&
    run.outcome === undefined &&
    reaches(caller, 'cancel', { ownerId: run.ownerId, waiting: run.pause !== undefined });
  return (
    <section class="about">
      <h2>{t.run.about}</h2>
      <dl>
        <dt>{t.run.of}</dt>
        <dd>
          <code>{run.id}</code>
        </dd>
        <dt>{t.run.started}</dt>
        <dd>
          <Moment at={run.createdAt} visit={visit} />
        </dd>
        <dt>{t.run.updated}</dt>
        <dd>
          <Moment at={run.updatedAt} visit={visit} />
        </dd>
        <dt>{t.run.steps}</dt>
        <dd>{run.iterations}</dd>
        <dt>{t.run.tokens}</dt>
        <dd>
          {run.usage.inputTokens} / {run.usage.outputTokens}
        </dd>
        {run.pause === undefined ? null : (
          <>
            <dt>{t.run.uses}</dt>
            <dd>
              <Names names={[...new Set(run.pause.requests.map(({ toolName }) => toolName))]} />
            </dd>
          </>
        )}
      </dl>
      {mayCancel ? (
        <details class="cancel">
          <summary>{t.run.cancel}</summary>
          <form method="post" action={path(`/runs/${run.id}/cancel`)}>
            <p>{t.run.cancelHint}</p>
            <button type="submit" class="danger">
              {t.run.cancelSure}
            </button>
          </form>
        </details>
      ) : null}
    </section>
  );
}
