import type { RequestView } from '../../projections/runs/get-pause.query.js';
import type { RunView } from '../../projections/runs/get-run.query.js';
import type { Visit } from './visit.js';

export interface ApprovalDraft {
  readonly comment: string;
}

interface ApprovalFormProps {
  readonly visit: Visit;
  readonly run: RunView;
  readonly turn: string;
  readonly requests: readonly RequestView[];
  readonly draft: ApprovalDraft;
}

/** One decision for the whole turn. Neither button is the default: in a text area no key presses one. */
export function ApprovalForm({ visit, run, turn, requests, draft }: ApprovalFormProps) {
  const { t, path } = visit;
  const writes = requests.some(({ effect }) => effect !== 'read_only');
  return (
    <form method="post" action={path(`/runs/${run.id}/decision`)} class="card ask decide" id="answer">
      <h2>{t.decide.heading}</h2>
      <p class={writes ? 'note warning' : 'note'}>{writes ? t.decide.writes : t.decide.reads}</p>
      <input type="hidden" name="turn" value={turn} />
      <div class="field">
        <label for="comment">{t.decide.comment}</label>
        <p class="hint" id="comment-hint">
          {t.decide.commentHint}
        </p>
        <textarea id="comment" name="comment" rows={3} aria-describedby="comment-hint" value={draft.comment} />
      </div>
      <div class="decisions">
        <div>
          <button
            type="submit"
            name="decision"
            value="approve"
            class={writes ? 'danger' : 'main'}
            aria-describedby="approve-hint"
          >
            {t.decide.approve}
          </button>
          <p class="hint" id="approve-hint">
            {t.decide.approveHint}
          </p>
        </div>
        <div>
          <button type="submit" name="decision" value="deny" class="second" aria-describedby="deny-hint">
            {t.decide.deny}
          </button>
          <p class="hint" id="deny-hint">
            {t.decide.denyHint}
          </p>
        </div>
      </div>
    </form>
  );
}
