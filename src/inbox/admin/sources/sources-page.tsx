import type { ListedSource, ListPart } from '../../../http/governance/record-lists.js';
import type { Visit } from '../../pages/visit.js';
import { Ago, Shown } from '../../parts/text.js';
import { AdminPage } from '../admin-page.js';
import { EmptyList, ListHead, ListItem, ListPages } from '../list-parts.js';
import type { Done } from '../section.js';

interface SourcesPageProps {
  readonly visit: Visit;
  readonly section: 'snippets' | 'skills';
  readonly page: ListPart<ListedSource>;
  readonly isFirst: boolean;
  readonly done: Done | null;
}

export function SourcesPage({ visit, section, page, isFirst, done }: SourcesPageProps) {
  const { t, path } = visit;
  const words = t.admin.source;
  return (
    <AdminPage visit={visit} section={section} title={t.admin.sections[section]} isList={true} done={done}>
      <ListHead visit={visit} section={section} />
      {page.items.length === 0 ? (
        <EmptyList visit={visit} section={section} />
      ) : (
        <ul class="items" id="items">
          {page.items.map(({ id, name, dataClass, active, updatedAt }) => (
            <ListItem
              key={id}
              id={id}
              href={path(`/admin/${section}/${id}`)}
              badges={active ? null : <span class="badge">{words.inactive}</span>}
              end={
                <>
                  <span class="unseen">{t.admin.changed} </span>
                  <Ago at={updatedAt} visit={visit} />
                </>
              }
            >
              <span>
                <span class="unseen">{words.name} </span>
                {name === null ? words.erased : <Shown text={name} />}
              </span>
              <span>
                <span class="unseen">{words.dataClass} </span>
                <Shown text={dataClass ?? words.noClass} />
              </span>
            </ListItem>
          ))}
        </ul>
      )}
      <ListPages visit={visit} below={`/admin/${section}`} isFirst={isFirst} nextCursor={page.nextCursor} />
    </AdminPage>
  );
}
