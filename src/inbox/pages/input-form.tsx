import type { RunView } from '../../projections/runs/get-run.query.js';
import { allFields } from '../form/field.js';
import type { FormFault } from '../form/form-faults.js';
import type { RequestForm } from '../form/form-view.js';
import { FaultSummary } from '../parts/form/fault-summary.js';
import { RootFields } from '../parts/form/form-fields.js';
import { Shown } from '../parts/text.js';
import type { Visit } from './visit.js';

/** What was wrong with an answer that was sent. */
export interface InputProblem {
  readonly faults: readonly { readonly callId: string; readonly fault: FormFault }[];
}

interface InputFormProps {
  readonly visit: Visit;
  readonly run: RunView;
  readonly turn: string;
  readonly forms: readonly RequestForm[];
  readonly problem: InputProblem | null;
}

/** All requests of a pause in one form: one answer for all of them, or none (INP-9). */
export function InputForm({ visit, run, turn, forms, problem }: InputFormProps) {
  const { t, path } = visit;
  const faultsOf = (id: string) =>
    (problem?.faults ?? []).flatMap(({ callId, fault }) => (callId === id ? [fault] : []));
  return (
    <section class="card ask" id="ask">
      {problem === null ? null : (
        <FaultSummary
          t={t}
          faults={problem.faults.map(({ callId, fault }) => ({ fault, name: nameOf(forms, callId, fault) }))}
        />
      )}
      <form
        method="post"
        action={path(`/runs/${run.id}/answer`)}
        id="answer"
        class="answer"
        noValidate
        data-refresh=""
        autocomplete="off"
      >
        {/* The first button is what Enter in a field presses: it must not be one that sends. */}
        <button type="submit" name="intent" value="refresh" hidden>
          {t.form.refresh}
        </button>
        <input type="hidden" name="turn" value={turn} />
        {forms.map(({ callId, toolName, form }) => (
          <div key={callId} class="request" data-field={`request ${callId}`}>
            <input type="hidden" name={`request ${callId}`} value={toolName} />
            {forms.length > 1 ? (
              <h2>
                <Shown text={form.root.title ?? toolName} />
              </h2>
            ) : null}
            {form.root.description === null ? null : (
              <p class="hint">
                <Shown text={form.root.description} />
              </p>
            )}
            <RootFields field={form.root} faults={faultsOf(callId)} t={t} />
          </div>
        ))}
        <p class="actions">
          <button type="submit" name="intent" value="send" class="main">
            {t.form.send}
          </button>
          <button type="submit" name="intent" value="refresh" class="second without-script">
            {t.form.refresh}
          </button>
        </p>
      </form>
    </section>
  );
}

function nameOf(forms: readonly RequestForm[], callId: string, { field, pointer }: FormFault): string | null {
  const form = forms.find((one) => one.callId === callId)?.form;
  const found = form === undefined ? undefined : [...allFields(form.root)].find((one) => one.pointer === field);
  // A fault of the whole answer has no control to go to.
  return found === undefined || found === form?.root ? null : (found.title ?? pointer);
}
