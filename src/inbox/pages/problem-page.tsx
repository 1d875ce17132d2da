import { Layout } from '../parts/layout.js';
import type { Visit } from './visit.js';

/** What somebody had sent when it could not be taken: enough to show them their form again. */
export interface KeptDraft {
  /** Where the form goes to, as browsers see it. */
  readonly action: string;
  readonly fields: readonly (readonly [name: string, text: string])[];
}

interface ProblemPageProps {
  readonly visit: Visit;
  readonly title: string;
  readonly text: string;
  readonly signIn?: boolean;
  readonly draft?: KeptDraft | null;
}

export function ProblemPage({ visit, title, text, signIn = false, draft = null }: ProblemPageProps) {
  const { t, path } = visit;
  return (
    <Layout visit={visit} title={title}>
      <div class="card problem">
        <h1>{title}</h1>
        <p class="lead">{text}</p>
        {draft === null ? null : <p>{t.problem.draft}</p>}
        <div class="actions">
          {signIn ? (
            <a
              href={path(`/sign-in?to=${encodeURIComponent(visit.here)}`)}
              class="button main"
              target="_blank"
              rel="noopener"
            >
              {t.signIn.submit}
            </a>
          ) : null}
          {draft === null ? null : <ToForm draft={draft} text={t.problem.toForm} />}
          {signIn ? null : <a href={path()}>{t.run.back}</a>}
        </div>
      </div>
    </Layout>
  );
}

/** It only shows the form again; what is in it is sent, or decided, from there and nowhere else. */
function ToForm({ draft, text }: { readonly draft: KeptDraft; readonly text: string }) {
  return (
    <form method="post" action={draft.action}>
      {draft.fields.map(([name, value], index) => (
        <input key={index} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" name="intent" value="refresh" class="second">
        {text}
      </button>
    </form>
  );
}
