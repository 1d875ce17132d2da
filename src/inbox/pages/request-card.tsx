import type { RequestView } from '../../projections/runs/get-pause.query.js';
import type { RequestForm } from '../form/form-view.js';
import { Arguments } from '../parts/arguments.js';
import { Shown } from '../parts/text.js';
import type { Visit } from './visit.js';

interface RequestCardProps {
  readonly visit: Visit;
  readonly request: RequestView;
  /** What is asked for it, where its pause is for input. */
  readonly form: RequestForm | undefined;
  /** Whether the tool was asked what it would do; its silence is worth a word then. */
  readonly foretold: boolean;
}

/** What a call is, and what it would do. */
export function RequestCard({ visit, request, form, foretold }: RequestCardProps) {
  const { t } = visit;
  const { toolName, effect, preview } = request;
  const isWrite = effect !== undefined && effect !== 'read_only';
  const asked = form?.form.root.control;
  const replaced = new Set(asked?.kind === 'group' ? asked.fields.map(({ pointer }) => lastName(pointer)) : []);
  return (
    <section class={`card ${isWrite ? 'write' : ''}`} aria-label={toolName}>
      <h2 class="tool">
        <Shown text={toolName} />
      </h2>
      {effect === undefined ? null : (
        <p class={`effect ${effect}`}>
          <span class="sign" aria-hidden="true">
            {isWrite ? '!' : 'i'}
          </span>
          {t.effect[effect]}
        </p>
      )}
      {preview === undefined || preview.length === 0 ? (
        foretold ? (
          <p class="quiet">{t.run.noPreview}</p>
        ) : null
      ) : (
        <div class="preview">
          <h3>{t.run.willHappen}</h3>
          {preview.map((line, index) => (
            <p key={index}>
              <Shown text={line} />
            </p>
          ))}
        </div>
      )}
      <h3>{t.run.arguments}</h3>
      <Arguments value={request.arguments} replaced={replaced} label={`${t.run.arguments}: ${toolName}`} t={t} />
    </section>
  );
}

function lastName(pointer: string): string {
  return pointer
    .slice(pointer.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
}
