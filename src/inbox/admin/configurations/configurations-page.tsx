import type { ListedConfiguration, ListPart } from '../../../http/governance/record-lists.js';
import type { Visit } from '../../pages/visit.js';
import { Ago, Shown } from '../../parts/text.js';
import { AdminPage } from '../admin-page.js';
import { EmptyList, ListHead, ListItem, ListPages } from '../list-parts.js';
import type { Done } from '../section.js';

interface ConfigurationsPageProps {
  readonly visit: Visit;
  readonly page: ListPart<ListedConfiguration>;
  readonly isFirst: boolean;
  readonly done: Done | null;
}

export function ConfigurationsPage({ visit, page, isFirst, done }: ConfigurationsPageProps) {
  const { t, path } = visit;
  const words = t.admin.configuration;
  return (
    <AdminPage visit={visit} section="configurations" title={t.admin.sections.configurations} isList={true} done={done}>
      <ListHead visit={visit} section="configurations" />
      {page.items.length === 0 ? (
        <EmptyList visit={visit} section="configurations" />
      ) : (
        <ul class="items" id="items">
          {page.items.map((one) => (
            <ListItem
              key={one.id}
              id={one.id}
              href={path(`/admin/configurations/${one.id}`)}
              badges={one.requireSecondApprover ? <span class="badge">{words.secondApprover}</span> : null}
              end={
                <>
                  <span class="unseen">{t.admin.changed} </span>
                  <Ago at={one.updatedAt} visit={visit} />
                </>
              }
            >
              <span>
                <span class="unseen">{words.provider} </span>
                {one.provider.kind}
                {one.provider.kind === 'scripted' ? null : (
                  <>
                    {' · '}
                    <Shown text={one.provider.model} />
                  </>
                )}
              </span>
              <span>
                <span class="unseen">{words.trustZone} </span>
                <Shown text={one.trustZone ?? words.zoneMissing} />
              </span>
              <span>{one.allowedTools === null ? words.everyTool : words.toolCount(one.allowedTools.length)}</span>
              {one.snippetIds.length + one.skillIds.length === 0 ? null : (
                <span>{words.sourceCount(one.snippetIds.length + one.skillIds.length)}</span>
              )}
            </ListItem>
          ))}
        </ul>
      )}
      <ListPages visit={visit} below="/admin/configurations" isFirst={isFirst} nextCursor={page.nextCursor} />
    </AdminPage>
  );
}
