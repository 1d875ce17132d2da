import type { Visit } from '../../pages/visit.js';
import { Notice } from '../../parts/notice.js';
import { AdminPage } from '../admin-page.js';

interface IssuedPageProps {
  readonly visit: Visit;
  readonly principalId: string;
  /** Told here, once, and kept nowhere. */
  readonly token: string;
}

/** The only page that shows a token. */
export function IssuedPage({ visit, principalId, token }: IssuedPageProps) {
  const { t } = visit;
  const words = t.admin.principal;
  return (
    <AdminPage visit={visit} section="principals" title={words.issuedTitle(principalId)}>
      <section class="card ask">
        <h1>{words.issuedTitle(principalId)}</h1>
        <p>
          <strong>{words.issuedText}</strong> {words.issuedNext}
        </p>
        <div class="field">
          <label for="issued">{words.theToken}</label>
          <input id="issued" class="code" value={token} readonly autocomplete="off" spellcheck={false} />
        </div>
        <BackToPrincipal visit={visit} principalId={principalId} />
      </section>
    </AdminPage>
  );
}

/** What somebody gets who loads the page with the token again. */
export function AlreadyIssuedPage({ visit, principalId }: Omit<IssuedPageProps, 'token'>) {
  const words = visit.t.admin.principal;
  return (
    <AdminPage visit={visit} section="principals" title={words.alreadyIssued}>
      <Notice tone="warning" title={words.alreadyIssued} focus={true}>
        <p>{words.alreadyIssuedText}</p>
      </Notice>
      <BackToPrincipal visit={visit} principalId={principalId} />
    </AdminPage>
  );
}

interface RevokePageProps {
  readonly visit: Visit;
  readonly principalId: string;
  readonly tokenId: string;
  /** What it is called. */
  readonly name: string;
  /** It is the last one that the person can come in with. */
  readonly isRefused: boolean;
}

/** Asks once more before a token is revoked. */
export function RevokePage({ visit, principalId, tokenId, name, isRefused }: RevokePageProps) {
  const { t, path } = visit;
  const words = t.admin.principal;
  const title = words.revokeTitle(name);
  return (
    <AdminPage visit={visit} section="principals" title={title}>
      {isRefused ? (
        <Notice tone="bad" title={t.admin.refused.lastToken} focus={true}>
          <p>{t.admin.refused.lastTokenText}</p>
        </Notice>
      ) : null}
      <section class="card ask">
        <h1>{title}</h1>
        <p>{words.revokeText(principalId)}</p>
        <form method="post" action={path(`/admin/principals/${principalId}/tokens/${tokenId}/revoke`)}>
          <p class="actions">
            <button type="submit" class="danger">
              {words.revoke}
            </button>
            <a href={path(`/admin/principals/${principalId}`)}>{words.toPrincipal(principalId)}</a>
          </p>
        </form>
      </section>
    </AdminPage>
  );
}

function BackToPrincipal({ visit: { t, path }, principalId }: Omit<IssuedPageProps, 'token'>) {
  return (
    <p>
      <a href={path(`/admin/principals/${principalId}`)}>{t.admin.principal.toPrincipal(principalId)}</a>
    </p>
  );
}
