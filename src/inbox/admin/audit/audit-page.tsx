import { AUDIT_KINDS, type AuditEntry } from '../../../projections/audit/list-audit.query.js';
import type { Page } from '../../../projections/runs/list-runs.query.js';
import { lookUp } from '../../messages/fault-sentence.js';
import type { Visit } from '../../pages/visit.js';
import { Block } from '../../parts/arguments.js';
import { Moment, Shown } from '../../parts/text.js';
import { AdminPage } from '../admin-page.js';
import { ListPages } from '../list-parts.js';

/** What is asked for, as typed. */
export type TypedFilter = Readonly<Record<'runId' | 'actorId' | 'kind', string>>;

interface AuditPageProps {
  readonly visit: Visit;
  readonly filter: TypedFilter;
  /** Null where the filter does not fit, so that nothing was looked for. */
  readonly page: Page<AuditEntry> | null;
  readonly isFirst: boolean;
}

export function AuditPage({ visit, filter, page, isFirst }: AuditPageProps) {
  const { t, path } = visit;
  const words = t.admin.audit;
  const isFiltered = Object.values(filter).some((text) => text !== '');
  return (
    <AdminPage visit={visit} section="audit" title={t.admin.sections.audit} isList={true}>
      <div class="headline">
        <h1>{t.admin.sections.audit}</h1>
        <p class="lead">{t.admin.lead.audit}</p>
      </div>
      <search>
        <form method="get" action={path('/admin/audit')} class="search">
          <TextFilter name="runId" label={words.runId} hint={words.runIdHint} value={filter.runId} />
          <TextFilter name="actorId" label={words.actor} hint={words.actorHint} value={filter.actorId} />
          <div class="field">
            <label for="kind">{words.kind}</label>
            <select id="kind" name="kind">
              <option value="">{words.anyKind}</option>
              {AUDIT_KINDS.map((kind) => (
                <option key={kind} value={kind} selected={kind === filter.kind}>
                  {lookUp(words.kinds, kind)}
                </option>
              ))}
            </select>
          </div>
          <button type="submit" class="second">
            {words.apply}
          </button>
          {isFiltered ? <a href={path('/admin/audit')}>{words.clear}</a> : null}
        </form>
      </search>
      {page === null ? <p class="fault">{words.invalid}</p> : <Entries visit={visit} entries={page.items} />}
      {page === null ? null : (
        <ListPages
          visit={visit}
          below={`/admin/audit${queryOfFilter(filter)}`}
          isFirst={isFirst}
          nextCursor={page.nextCursor}
          next={words.older}
        />
      )}
    </AdminPage>
  );
}

interface TextFilterProps {
  readonly name: keyof TypedFilter;
  readonly label: string;
  readonly hint: string;
  readonly value: string;
}

function TextFilter({ name, label, hint, value }: TextFilterProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input id={name} name={name} value={value} placeholder={hint} autocomplete="off" spellcheck={false} />
    </div>
  );
}

function queryOfFilter(filter: TypedFilter): string {
  const given = Object.entries(filter).filter(([, text]) => text !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function Entries({ visit, entries }: { readonly visit: Visit; readonly entries: readonly AuditEntry[] }) {
  const words = visit.t.admin.audit;
  if (entries.length === 0) {
    return (
      <div class="empty">
        <p class="lead">{words.empty}</p>
        <p>{words.emptyNext}</p>
      </div>
    );
  }
  return (
    <ol class="items entries">
      {entries.map((entry) => (
        <li key={entry.id} class="item">
          <p class="what">
            {lookUp(words.kinds, entry.kind)} <Why visit={visit} entry={entry} />
          </p>
          <p class="item-facts">
            <span>
              {words.by} <Shown text={entry.actor.id} />
            </span>
            <span>
              {words.about} <Subject visit={visit} subject={entry.subject} />
            </span>
            <Details visit={visit} entry={entry} />
          </p>
          <p class="item-age">
            <Moment at={entry.at} visit={visit} />
          </p>
          {entry.document === undefined ? null : (
            <details class="item-more">
              <summary>{words.document}</summary>
              <Block text={JSON.stringify(entry.document, null, 2)} label={words.document} />
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}

/** What came of it, where its name does not say so, and why. */
function Why({ visit: { t }, entry }: { readonly visit: Visit; readonly entry: AuditEntry }) {
  const outcome =
    entry.kind !== 'ApprovalDecided' ? null : entry.outcome === 'approved' ? t.timeline.approved : t.timeline.denied;
  const reason = entry.reason === undefined ? null : lookUp(t.reason, entry.reason);
  const denial = entry.denial === undefined ? null : lookUp(t.admin.audit.denials, entry.denial);
  const parts = [outcome, reason, denial].filter((part) => part !== null);
  return parts.length === 0 ? null : <span class="quiet">· {parts.join(' · ')}</span>;
}

function Details({ visit: { t }, entry }: { readonly visit: Visit; readonly entry: AuditEntry }) {
  const { toolName, callId, sourceId, dataClass, zone } = entry;
  const scope = entry.scope === undefined ? undefined : lookUp(t.erasedPart, entry.scope);
  const details = [toolName, callId, sourceId, dataClass, zone, scope].filter((detail) => detail !== undefined);
  return (
    <>
      {details.map((detail) => (
        <span key={detail}>
          <Shown text={detail} />
        </span>
      ))}
    </>
  );
}

const ADDRESSES: Readonly<Record<string, (id: string) => string>> = {
  run: (id) => `/runs/${id}`,
  configuration: (id) => `/admin/configurations/${id}`,
  snippet: (id) => `/admin/snippets/${id}`,
  skill: (id) => `/admin/skills/${id}`,
  principal: (id) => `/admin/principals/${id}`,
  tool: (id) => `/admin/tools/${id}/edit`,
  policy: () => '/admin/policy',
};

/** What the entry is about, leading there. */
function Subject({ visit, subject }: { readonly visit: Visit; readonly subject: AuditEntry['subject'] }) {
  const { kind, id } = subject;
  const address = ADDRESSES[kind];
  const name = `${lookUp(visit.t.admin.audit.subject, kind)} ${kind === 'run' ? id.slice(0, 8) : id}`;
  if (address === undefined) return <Shown text={name} />;
  return (
    <a href={visit.path(address(id))}>
      <Shown text={name} />
    </a>
  );
}
