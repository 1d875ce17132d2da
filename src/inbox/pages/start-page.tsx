import { Layout } from '../parts/layout.js';
import type { Visit } from './visit.js';

export interface StartDraft {
  readonly configuration: string;
  readonly input: string;
  readonly fault: 'configurationGone' | 'configurationMissing' | 'inputMissing' | null;
}

export function StartPage({ visit, draft }: { readonly visit: Visit; readonly draft: StartDraft }) {
  const { t, path } = visit;
  const { start } = t;
  const place = draft.fault === 'inputMissing' ? 'input' : 'configuration';
  const fault = (field: string) =>
    draft.fault === null || place !== field ? null : (
      <p class="fault" id={`${field}-fault`}>
        {start[draft.fault]}
      </p>
    );
  const described = (field: string) => {
    const isFaulty = draft.fault !== null && place === field;
    return {
      'aria-describedby': `${field}-hint${isFaulty ? ` ${field}-fault` : ''}`,
      ...(isFaulty ? { 'aria-invalid': true, autofocus: true } : {}),
    };
  };
  return (
    <Layout visit={visit} title={start.title} current="start">
      <div class="headline">
        <h1>{start.title}</h1>
        <p class="lead">{start.lead}</p>
      </div>
      <form method="post" action={path('/start')} class="card ask">
        <div class="field">
          <label for="configuration">{start.configuration}</label>
          <p class="hint" id="configuration-hint">
            {start.configurationHint}
          </p>
          {fault('configuration')}
          <input
            id="configuration"
            name="configuration"
            value={draft.configuration}
            autocomplete="off"
            spellcheck={false}
            {...described('configuration')}
          />
        </div>
        <div class="field">
          <label for="input">{start.input}</label>
          <p class="hint" id="input-hint">
            {start.inputHint}
          </p>
          {fault('input')}
          <textarea id="input" name="input" rows={6} value={draft.input} {...described('input')} />
        </div>
        <p class="actions">
          <button type="submit" class="main">
            {start.submit}
          </button>
        </p>
      </form>
    </Layout>
  );
}
