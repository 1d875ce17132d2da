import { mayAttempt } from '../../governance/access.js';
import type { RunView } from '../../projections/runs/get-run.query.js';
import { lookUp } from '../messages/fault-sentence.js';
import { Block } from '../parts/arguments.js';
import { Notice, type Tone } from '../parts/notice.js';
import type { Visit } from './visit.js';

interface OutcomeProps {
  readonly visit: Visit;
  readonly run: RunView;
}

/** What a run came to and, where that is no answer, why it ended and what can be done now (LIF-7). */
export function Outcome({ visit, run }: OutcomeProps) {
  const { t } = visit;
  const { reason = 'finished', truncated = false, content, contentErased } = run.outcome ?? {};
  return (
    <>
      {reason === 'finished' ? null : (
        <Notice tone={toneOf(reason)} title={sentence(lookUp(t.reason, reason))}>
          <p>{lookUp(t.settled, reason)}</p>
        </Notice>
      )}
      <section class="card">
        <h2>{t.run.outcome}</h2>
        {truncated ? <p class="note warning">{t.run.truncated}</p> : null}
        {contentErased ? <p>{t.run.erased}</p> : null}
        {content === undefined || contentErased ? null : <Block text={content} label={t.run.outcome} />}
        {content === undefined && !contentErased ? <p>{t.run.noOutcome}</p> : null}
        <Another visit={visit} run={run} />
      </section>
    </>
  );
}

function Another({ visit: { t, caller, path }, run }: OutcomeProps) {
  if (caller === null || !mayAttempt(caller, 'start')) return null;
  return (
    <p>
      <a href={path(`/start?${new URLSearchParams({ configuration: run.configurationId })}`)}>{t.run.another}</a>
    </p>
  );
}

/** What somebody wanted is no fault. */
function toneOf(reason: string): Tone {
  if (reason === 'cancelled') return 'quiet';
  return reason === 'max_iterations' ? 'warning' : 'bad';
}

function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}
