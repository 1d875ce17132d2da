import type { Visit } from '../pages/visit.js';
import { Layout } from '../parts/layout.js';
import { Notice } from '../parts/notice.js';
import type { SignInForm } from './sign-in-pages.js';

interface SignInPageProps {
  readonly visit: Visit;
  readonly form: SignInForm;
}

export function SignInPage({ visit, form }: SignInPageProps) {
  const { t, path } = visit;
  const { failure, linkSecret, offersIssuer, returnTo } = form;
  const to = <input type="hidden" name="to" value={returnTo} />;
  return (
    <Layout visit={visit} title={t.signIn.title}>
      <div class="gate">
        {failure === null ? null : (
          <Notice tone="bad" title={t.signIn.failures[failure].title} focus={true}>
            <p>{t.signIn.failures[failure].text}</p>
          </Notice>
        )}
        <h1>{t.signIn.title}</h1>
        <p class="lead">{t.signIn.lead}</p>
        {linkSecret === null ? null : (
          <form method="post" action={path('/sign-in')} class="card ask">
            <p>{t.signIn.linkText}</p>
            {to}
            <input type="hidden" name="link" value={linkSecret} />
            <p class="actions">
              <button type="submit" class="main">
                {t.signIn.link}
              </button>
            </p>
          </form>
        )}
        {offersIssuer ? (
          <p>
            <a class="button main" href={path(`/sign-in/oidc?${new URLSearchParams({ to: returnTo })}`)}>
              {t.signIn.issuer}
            </a>
          </p>
        ) : null}
        <form method="post" action={path('/sign-in')} class="card ask">
          {to}
          <div class="field">
            <label for="token">{t.signIn.token}</label>
            <p class="hint" id="token-hint">
              {t.signIn.tokenHint}
            </p>
            <input
              id="token"
              name="token"
              type="password"
              autocomplete="off"
              spellcheck={false}
              required
              aria-describedby="token-hint"
              {...(failure === 'token' ? { 'aria-invalid': true } : {})}
            />
          </div>
          <p class="actions">
            <button type="submit" class={linkSecret === null && !offersIssuer ? 'main' : 'second'}>
              {t.signIn.submit}
            </button>
          </p>
        </form>
      </div>
    </Layout>
  );
}

/** Leads on by itself; the link is for browsers that do not. */
export function OnwardPage({ visit, to }: { readonly visit: Visit; readonly to: string }) {
  const { t } = visit;
  return (
    <Layout visit={visit} title={t.signIn.title} head={<meta http-equiv="refresh" content={`0;url=${to}`} />}>
      <h1>{t.signIn.signedIn}</h1>
      <p>
        <a href={to}>{t.signIn.goOn}</a>
      </p>
    </Layout>
  );
}
