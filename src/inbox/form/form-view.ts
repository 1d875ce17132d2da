import type { JsonObject } from '../../events/json.js';
import type { PauseView } from '../../projections/runs/get-pause.query.js';
import type { Draft } from './draft.js';
import type { Field } from './field.js';
import { buildForm, type Form } from './form-model.js';

/** The form of one request: what is asked, by which call, and what was filled in so far. */
export interface RequestForm {
  readonly callId: string;
  readonly toolName: string;
  readonly inputSchema: JsonObject;
  readonly form: Form;
}

/** The forms of every request of a pause for input, each below the pointer of its call id. */
export function requestForms(pause: PauseView, draft?: Draft): readonly RequestForm[] {
  return pause.requests.flatMap(({ callId, toolName, inputSchema }) =>
    inputSchema === undefined
      ? []
      : [{ callId, toolName, inputSchema, form: buildForm(inputSchema, draft, `/${callId}`) }],
  );
}

/** A form as other front ends get it. */
export interface FormView {
  readonly turnDigest: string | null;
  readonly requests: readonly { readonly callId: string; readonly toolName: string; readonly form: Field }[];
}

export function formView(pause: PauseView): FormView {
  const requests = requestForms(pause).map(({ callId, toolName, form }) => ({ callId, toolName, form: form.root }));
  return { turnDigest: pause.turnDigest, requests };
}
