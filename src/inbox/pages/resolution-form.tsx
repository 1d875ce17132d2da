import type { RequestView } from '../../projections/runs/get-pause.query.js';
import type { RunView } from '../../projections/runs/get-run.query.js';
import type { Visit } from './visit.js';

export const VERDICTS = ['executed', 'not_executed', 'fail'] as const;

export interface ResolutionDraft {
  readonly verdict: string;
  readonly result: string;
  readonly note: string;
  /** What is missing. */
  readonly faults: readonly ('verdict' | 'note')[];
}

interface ResolutionFormProps {
  readonly visit: Visit;
  readonly run: RunView;
  readonly request: RequestView | undefined;
  readonly draft: ResolutionDraft;
}

/** What became of a write that nobody saw finish (CLM-4). */
export function ResolutionForm({ visit, run, request, draft }: ResolutionFormProps) {
  const { t, path } = visit;
  const { resolve } = t;
  const lacks = (what: 'verdict' | 'note') => draft.faults.includes(what);
  const missing = { verdict: resolve.verdictMissing, note: resolve.noteMissing } as const;
  return (
    <form method="post" action={path(`/runs/${run.id}/resolution`)} class="card ask" id="answer">
      {draft.faults.length === 0 ? null : (
        <section class="notice bad" id="notice" tabIndex={-1} role="alert" autofocus>
          <h2>{t.faults.title(draft.faults.length)}</h2>
          <p>{t.faults.lead}</p>
          <ul>
            {draft.faults.map((fault) => (
              <li key={fault}>
                <a href={`#${fault}`}>{missing[fault]}</a>
              </li>
            ))}
          </ul>
        </section>
      )}
      <h2>{resolve.heading}</h2>
      <p>{resolve.lead}</p>
      <input type="hidden" name="callId" value={request?.callId ?? ''} />
      <fieldset
        class="field options"
        id="verdict"
        tabIndex={-1}
        {...(lacks('verdict') ? { 'aria-describedby': 'verdict-fault' } : {})}
      >
        <legend>
          {resolve.verdict} <span class="quiet marker">{t.form.required}</span>
        </legend>
        {lacks('verdict') ? (
          <p class="fault" id="verdict-fault">
            {resolve.verdictMissing}
          </p>
        ) : null}
        {VERDICTS.map((verdict) => (
          <label class="option" key={verdict}>
            <input
              type="radio"
              name="verdict"
              value={verdict}
              checked={draft.verdict === verdict}
              {...(lacks('verdict') ? { 'aria-invalid': true } : {})}
            />
            {resolve[verdict]}
          </label>
        ))}
      </fieldset>
      <div class="field">
        <label for="result">{resolve.result}</label>
        <p class="hint" id="result-hint">
          {resolve.resultHint}
        </p>
        <textarea id="result" name="result" rows={3} aria-describedby="result-hint" value={draft.result} />
      </div>
      <div class="field">
        <label for="note">
          {resolve.note} <span class="quiet marker">{t.form.required}</span>
        </label>
        {lacks('note') ? (
          <p class="fault" id="note-fault">
            {resolve.noteMissing}
          </p>
        ) : null}
        <textarea
          id="note"
          name="note"
          rows={3}
          value={draft.note}
          {...(lacks('note') ? { 'aria-invalid': true, 'aria-describedby': 'note-fault' } : {})}
        />
      </div>
      <p class="actions">
        <button type="submit" class="main">
          {resolve.send}
        </button>
      </p>
    </form>
  );
}
