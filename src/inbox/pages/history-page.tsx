import type { RunView } from '../../projections/runs/get-run.query.js';
import type { Page } from '../../projections/runs/list-runs.query.js';
import { lookUp } from '../messages/fault-sentence.js';
import { Layout } from '../parts/layout.js';
import { Ago, Shown } from '../parts/text.js';
import type { Visit } from './visit.js';

const STATUSES = [
  'queued',
  'running',
  'waiting_for_approval',
  'waiting_for_input',
  'waiting_for_resolution',
  'completed',
  'failed',
  'cancelled',
] as const;

export interface HistoryFilter {
  readonly status: (typeof STATUSES)[number] | null;
  readonly cursor: string | null;
}

export function historyFilter(query: URLSearchParams): HistoryFilter {
  return { status: STATUSES.find((status) => status === query.get('status')) ?? null, cursor: query.get('cursor') };
}

interface HistoryPageProps {
  readonly visit: Visit;
  readonly filter: HistoryFilter;
  readonly page: Page<RunView>;
}

export function HistoryPage({ visit, filter, page }: HistoryPageProps) {
  const { t, path } = visit;
  const next = (cursor: string) =>
    `/history?${new URLSearchParams({ ...(filter.status === null ? {} : { status: filter.status }), cursor })}`;
  return (
    <Layout visit={visit} title={t.history.title} current="history">
      <div class="headline">
        <h1>{t.history.title}</h1>
        <p class="lead">{t.history.lead}</p>
      </div>
      <search>
        <form method="get" action={path('/history')} class="search">
          <div class="field">
            <label for="status">{t.history.status}</label>
            <select id="status" name="status">
              <option value="">{t.history.anyStatus}</option>
              {STATUSES.map((status) => (
                <option key={status} value={status} selected={status === filter.status}>
                  {t.status[status]}
                </option>
              ))}
            </select>
          </div>
          <button type="submit" class="second">
            {t.list.apply}
          </button>
        </form>
      </search>
      {page.items.length === 0 ? (
        <div class="empty">
          <p class="lead">{t.history.empty}</p>
          <p>{t.history.emptyNext}</p>
        </div>
      ) : (
        <ul class="items" id="items">
          {page.items.map((run) => (
            <li key={run.id} class={`item ${run.status}`} data-item={run.id}>
              <a class="item-link" href={path(`/runs/${run.id}`)}>
                <span class={`badge ${run.status}`}>{t.status[run.status]}</span>
                <code>{run.id.slice(0, 8)}</code>
              </a>
              <span class="item-facts">
                <span>
                  <span class="unseen">{t.list.owner} </span>
                  <Shown text={run.ownerId} />
                </span>
                <span>
                  <span class="unseen">{t.list.configuration} </span>
                  <Shown text={run.configurationId} />
                </span>
                {run.outcome === undefined || run.outcome.reason === 'finished' ? null : (
                  <span>
                    <span class="unseen">{t.history.why} </span>
                    {lookUp(t.reason, run.outcome.reason)}
                  </span>
                )}
              </span>
              <span class="item-age">
                <span class="unseen">{t.history.started} </span>
                <Ago at={run.createdAt} visit={visit} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {page.nextCursor === null ? null : (
        <p class="pages">
          <a href={path(next(page.nextCursor))}>{t.history.next}</a>
        </p>
      )}
    </Layout>
  );
}
