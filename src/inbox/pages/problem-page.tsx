import { Layout } from '../parts/layout.js';
import type { Visit } from './visit.js';

interface ProblemPageProps {
  readonly visit: Visit;
  readonly title: string;
  readonly text: string;
  readonly signIn?: boolean;
}

export function ProblemPage({ visit, title, text, signIn = false }: ProblemPageProps) {
  const { t, path } = visit;
  return (
    <Layout visit={visit} title={title}>
      <h1>{title}</h1>
      <p class="lead">{text}</p>
      <p>
        {signIn ? (
          <a
            href={path(`/sign-in?to=${encodeURIComponent(visit.here)}`)}
            class="button main"
            target="_blank"
            rel="noopener"
          >
            {t.signIn.submit}
          </a>
        ) : (
          <a href={path()}>{t.run.back}</a>
        )}
      </p>
    </Layout>
  );
}
