import { type ComponentChildren, Fragment } from 'preact';
import { mayAdminister, mayAttempt } from '../../governance/access.js';
import { MOST_BODY_BYTES } from '../../http/body/most-body-bytes.js';
import { LANGUAGES } from '../messages/language.js';
import type { Visit } from '../pages/visit.js';
import { Shown } from './text.js';

interface LayoutProps {
  readonly visit: Visit;
  readonly title: string;
  /** Which link of the navigation leads here. */
  readonly current?: 'inbox' | 'history' | 'start' | 'admin';
  /** Whether the page is told of what changes. */
  readonly live?: boolean;
  /** The run that the page shows. */
  readonly runId?: string;
  /** The last step of that run that the page knows of. */
  readonly revision?: number;
  /** What this page alone has in its head. */
  readonly head?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** What every page has around its content. */
export function Layout({ visit, title, current, live = false, runId, revision, head, children }: LayoutProps) {
  const { t, language, caller, path } = visit;
  return (
    <html lang={language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${t.product}`}</title>
        <link rel="icon" href={path('/assets/icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={path('/assets/inbox.css')} />
        {head}
        <script type="module" src={path('/assets/inbox.js')} />
      </head>
      <body
        data-stream={live && caller !== null ? path('/stream') : undefined}
        data-run={runId}
        data-revision={revision}
        data-most-bytes={MOST_BODY_BYTES}
        data-too-large={t.problem.tooLargeToSend}
        data-offline={t.live.off}
        data-changed={t.live.changed}
        data-reload={t.live.reload}
        data-arrived-one={t.list.arrived(1)}
        data-arrived-many={t.list.arrived(99).replace('99', '#')}
      >
        <a class="skip" href="#content">
          {t.skip}
        </a>
        <header class="top">
          <p class="brand">
            <a href={path()}>{t.product}</a>
          </p>
          {caller === null ? null : (
            <nav aria-label={t.nav.label}>
              <ul>
                <NavLink to={path()} current={current === 'inbox'} text={t.nav.inbox} />
                <NavLink to={path('/history')} current={current === 'history'} text={t.nav.history} />
                {mayAttempt(caller, 'start') ? (
                  <NavLink to={path('/start')} current={current === 'start'} text={t.nav.start} />
                ) : null}
                {mayAdminister(caller) ? (
                  <NavLink to={path('/admin/configurations')} current={current === 'admin'} text={t.admin.nav} />
                ) : null}
              </ul>
            </nav>
          )}
          {caller === null ? null : (
            <form method="post" action={path('/sign-out')} class="who">
              <span>
                <Shown text={caller.id} />
              </span>
              <button type="submit" class="plain">
                {t.nav.signOut}
              </button>
            </form>
          )}
        </header>
        <p id="connection" class="connection" role="status" />
        <main id="content" tabIndex={-1}>
          {children}
        </main>
        <footer class="bottom">
          <p>{t.footer}</p>
          <form method="post" action={path('/language')}>
            <input type="hidden" name="to" value={visit.here} />
            <fieldset class="languages">
              <legend class="unseen">{t.nav.language}</legend>
              {LANGUAGES.map((one) => (
                <button
                  type="submit"
                  key={one.language}
                  class="plain"
                  name="language"
                  value={one.language}
                  lang={one.language}
                  aria-pressed={one.language === language}
                >
                  {one.name}
                </button>
              ))}
            </fieldset>
          </form>
          <button type="button" class="plain with-script" id="show-keys">
            {t.shortcuts.open}
          </button>
        </footer>
        <Keys visit={visit} />
      </body>
    </html>
  );
}

function NavLink({ to, current, text }: { readonly to: string; readonly current: boolean; readonly text: string }) {
  return (
    <li>
      <a href={to} aria-current={current ? 'page' : undefined}>
        {text}
      </a>
    </li>
  );
}

/** What keys do, for those who have script. */
function Keys({ visit: { t } }: { readonly visit: Visit }) {
  const { shortcuts } = t;
  const keys = [
    ['j', shortcuts.next],
    ['k', shortcuts.previous],
    ['Enter', shortcuts.enter],
    ['/', shortcuts.search],
    ['?', shortcuts.help],
  ] as const;
  return (
    <dialog id="keys" class="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">{shortcuts.title}</h2>
      <dl>
        {keys.map(([key, text]) => (
          <Fragment key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
      <p class="hint">{shortcuts.hint}</p>
      <form method="dialog">
        <label class="option">
          <input type="checkbox" id="single-keys" />
          {shortcuts.toggle}
        </label>
        <button type="submit" class="second">
          {shortcuts.close}
        </button>
      </form>
    </dialog>
  );
}
