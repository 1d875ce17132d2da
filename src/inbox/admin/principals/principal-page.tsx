import type { ComponentChildren } from 'preact';
import type { JsonObject } from '../../../events/json.js';
import type { TokenRecord } from '../../../governance/principal-record.js';
import type { PrincipalRecord } from '../../../governance/principals.js';
import type { Field } from '../../form/field.js';
import type { FormFault } from '../../form/form-faults.js';
import type { Visit } from '../../pages/visit.js';
import { FaultSummary } from '../../parts/form/fault-summary.js';
import { RootFields } from '../../parts/form/form-fields.js';
import { Ago, Moment, Shown } from '../../parts/text.js';
import { AdminPage } from '../admin-page.js';
import { nameOfField } from '../editing/field-name.js';
import { Fact, Facts } from '../facts.js';
import type { Done } from '../section.js';
import { VersionField } from '../version.js';
import { permissionsOf } from './permissions.js';

/** The form in which a token is asked for. */
export interface TokenForm {
  /** Of the token that the form will issue: sent twice, it issues one. */
  readonly tokenId: string;
  readonly root: Field;
  readonly faults: readonly FormFault[];
}

interface PrincipalPageProps {
  readonly visit: Visit;
  readonly record: PrincipalRecord;
  /** By token id, RFC 3339. */
  readonly lastUsed: ReadonlyMap<string, string>;
  readonly form: TokenForm;
  readonly done: Done | null;
  /** What became of something that was just refused. */
  readonly notice?: ComponentChildren;
}

export function PrincipalPage({ visit, record, lastUsed, form, done, notice }: PrincipalPageProps) {
  const { t, path } = visit;
  const words = t.admin.principal;
  const { principal, revision } = record;
  const { id, enabled } = principal;
  const permissions = permissionsOf(principal, t);
  return (
    <AdminPage visit={visit} section="principals" title={id} done={done}>
      {notice}
      <div class="headline with-action">
        <h1>
          {id} {id === visit.caller?.id ? <span class="badge">{words.you}</span> : null}
          {enabled ? null : <span class="badge failed">{words.disabled}</span>}
        </h1>
        <div class="actions">
          <a class="button second" href={path(`/admin/principals/${id}/edit`)}>
            {t.admin.edit}
          </a>
          <form method="post" action={path(`/admin/principals/${id}/enabled`)}>
            <VersionField version={{ of: id, revision }} />
            <button type="submit" name="enabled" value={enabled ? 'false' : 'true'}>
              {enabled ? words.disable : words.enable}
            </button>
          </form>
        </div>
      </div>
      <section class="card">
        <Facts>
          <Fact name={words.kind}>{words.kinds[principal.kind]}</Fact>
          <Fact name={words.enabled}>{enabled ? t.admin.yes : t.admin.no}</Fact>
          <Fact name={words.may}>
            {permissions.length > 0
              ? permissions.join(', ')
              : principal.kind === 'person'
                ? words.mayNothing
                : t.admin.none}
          </Fact>
          {principal.oidcSubject === null ? null : (
            <Fact name={words.oidcSubject}>
              <code>
                <Shown text={principal.oidcSubject} />
              </code>
            </Fact>
          )}
        </Facts>
      </section>
      <section class="card" id="tokens">
        <h2>{words.tokens}</h2>
        <Tokens visit={visit} record={record} lastUsed={lastUsed} />
        <IssueForm visit={visit} id={id} form={form} />
      </section>
    </AdminPage>
  );
}

function Tokens({ visit, record, lastUsed }: Pick<PrincipalPageProps, 'visit' | 'record' | 'lastUsed'>) {
  const words = visit.t.admin.principal;
  if (record.tokens.length === 0) return <p class="quiet">{words.noTokens}</p>;
  return (
    <ul class="tokens">
      {[...record.tokens].reverse().map((token) => (
        <Token
          key={token.tokenId}
          visit={visit}
          principalId={record.principal.id}
          token={token}
          usedAt={lastUsed.get(token.tokenId) ?? null}
        />
      ))}
    </ul>
  );
}

interface TokenProps {
  readonly visit: Visit;
  readonly principalId: string;
  readonly token: TokenRecord;
  readonly usedAt: string | null;
}

function Token({ visit, principalId, token, usedAt }: TokenProps) {
  const { t, path, nowMs } = visit;
  const words = t.admin.principal;
  const state = stateOf(token, nowMs);
  return (
    <li class={state}>
      <div>
        <strong>
          <Shown text={nameOfToken(token)} />
        </strong>{' '}
        <span class={`badge ${state === 'usable' ? 'completed' : ''}`}>{words.states[state]}</span>
        <p class="facts">
          <span>
            {words.issued} <Ago at={token.issuedAt} visit={visit} />
          </span>
          <span>
            {words.expires}{' '}
            {token.expiresAt === null ? words.expiresNever : <Moment at={token.expiresAt} visit={visit} />}
          </span>
          <span>
            {words.used} {usedAt === null ? words.never : <Ago at={usedAt} visit={visit} />}
          </span>
        </p>
      </div>
      {state === 'revoked' ? null : (
        <a
          href={path(`/admin/principals/${principalId}/tokens/${token.tokenId}/revoke`)}
          aria-label={words.revokeNamed(nameOfToken(token))}
        >
          {words.revoke} …
        </a>
      )}
    </li>
  );
}

/** A token without a name is called by its id. */
export function nameOfToken({ name, tokenId }: Pick<TokenRecord, 'name' | 'tokenId'>): string {
  return name ?? tokenId;
}

function stateOf({ revokedAt, expiresAt }: TokenRecord, nowMs: number): 'usable' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs ? 'expired' : 'usable';
}

interface IssueFormProps {
  readonly visit: Visit;
  readonly id: string;
  readonly form: TokenForm;
}

function IssueForm({ visit: { t, path }, id, form }: IssueFormProps) {
  const words = t.admin.principal;
  return (
    <>
      <h3>{words.issue}</h3>
      {form.faults.length === 0 ? null : (
        <FaultSummary t={t} faults={form.faults.map((fault) => ({ fault, name: nameOfField(form.root, fault) }))} />
      )}
      <form method="post" action={path(`/admin/principals/${id}/tokens`)} class="ask" noValidate autocomplete="off">
        <input type="hidden" name="token" value={form.tokenId} />
        <RootFields field={form.root} faults={form.faults} t={t} />
        <p class="actions">
          <button type="submit" class="main">
            {words.issue}
          </button>
        </p>
      </form>
    </>
  );
}

/** What is asked of whoever issues a token. */
export function tokenFields(t: Visit['t']): JsonObject {
  const words = t.admin.principal;
  return {
    type: 'object',
    properties: {
      name: { title: words.tokenName, description: words.tokenNameHint, type: 'string' },
      expiresOn: { title: words.expiresOn, description: words.expiresOnHint, type: 'string', format: 'date' },
    },
  };
}
