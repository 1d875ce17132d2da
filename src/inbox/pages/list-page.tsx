import type { InboxItem } from '../../projections/runs/list-inbox.query.js';
import { Layout } from '../parts/layout.js';
import { Notice } from '../parts/notice.js';
import { Ago, Names, Shown } from '../parts/text.js';
import type { Visit } from './visit.js';
import { type FoundWaiting, isSearch, type WaitingSearch } from './waiting-search.js';

interface ListPageProps {
  readonly visit: Visit;
  readonly search: WaitingSearch;
  readonly found: FoundWaiting;
  /** The person has just answered a run that they do not see any more. */
  readonly done: boolean;
}

export function ListPage({ visit, search, found, done }: ListPageProps) {
  const { t, path } = visit;
  const searches = isSearch(search);
  return (
    <Layout visit={visit} title={t.list.title} current="inbox" live={true}>
      <div id="arrived" class="arrived" role="status" />
      {done ? <Notice tone="good" title={t.answered.sentAway} /> : null}
      <div class="headline">
        <h1>{t.list.title}</h1>
        <p class="lead">{t.list.lead}</p>
      </div>
      <search>
        <form method="get" action={path()} class="search">
          <div class="field">
            <label for="q">{t.list.search}</label>
            <input
              id="q"
              name="q"
              type="search"
              value={search.words}
              placeholder={t.list.searchHint}
              autocomplete="off"
            />
          </div>
          <div class="field">
            <label for="kind">{t.list.kindLabel}</label>
            <select id="kind" name="kind">
              <option value="">{t.list.anyKind}</option>
              {(['approval', 'input', 'resolution'] as const).map((kind) => (
                <option key={kind} value={kind} selected={kind === search.kind}>
                  {t.kind[kind]}
                </option>
              ))}
            </select>
          </div>
          <button type="submit" class="second">
            {t.list.apply}
          </button>
          {searches ? <a href={path()}>{t.list.clear}</a> : null}
        </form>
      </search>
      {found.items.length === 0 ? (
        <Empty visit={visit} searches={searches} />
      ) : (
        <Items visit={visit} items={found.items} />
      )}
      {searches && found.nextCursor !== null ? (
        <p class="quiet">{t.list.searchedSome(new Intl.NumberFormat(visit.language).format(found.searched))}</p>
      ) : null}
      <Pages visit={visit} search={search} found={found} />
    </Layout>
  );
}

function Empty({ visit: { t, path }, searches }: { readonly visit: Visit; readonly searches: boolean }) {
  return (
    <div class="empty">
      <p class="lead">{searches ? t.list.noMatch : t.list.empty}</p>
      <p>{searches ? t.list.noMatchNext : t.list.emptyNext}</p>
      {searches ? null : (
        <p>
          <a href={path('/start')}>{t.nav.start}</a>
        </p>
      )}
    </div>
  );
}

function Items({ visit, items }: { readonly visit: Visit; readonly items: readonly InboxItem[] }) {
  const { t, path } = visit;
  return (
    <ul class="items" id="items">
      {items.map(({ runId, kind, toolNames, ownerId, configurationId, since }) => (
        <li key={runId} class={`item ${kind}`} data-item={runId}>
          <a class="item-link" href={path(`/runs/${runId}`)}>
            <span class={`badge ${kind}`}>{t.kind[kind]}</span>
            <span class="tools">
              <Names names={toolNames} />
            </span>
          </a>
          <span class="item-facts">
            <span>
              <span class="unseen">{t.list.owner} </span>
              <Shown text={ownerId} />
            </span>
            <span>
              <span class="unseen">{t.list.configuration} </span>
              <Shown text={configurationId} />
            </span>
          </span>
          <span class="item-age">
            <span class="unseen">{t.list.waiting} </span>
            <Ago at={since} visit={visit} />
            <span class="gone-word">{t.list.gone}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Pages({ visit, search, found }: Omit<ListPageProps, 'done'>) {
  const { t, path } = visit;
  const query = (cursor: string) => {
    const parts = {
      ...(search.words === '' ? {} : { q: search.words }),
      ...(search.kind === null ? {} : { kind: search.kind }),
    };
    return `?${new URLSearchParams({ ...parts, cursor })}`;
  };
  if (search.cursor === null && found.nextCursor === null) return null;
  return (
    <p class="pages">
      {search.cursor === null ? null : <a href={path()}>{t.list.first}</a>}
      {found.nextCursor === null ? null : (
        <a href={path(query(found.nextCursor))}>{isSearch(search) ? t.list.searchOn : t.list.next}</a>
      )}
    </p>
  );
}
