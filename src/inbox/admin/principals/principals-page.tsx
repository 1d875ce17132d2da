import type { ListedPrincipal, ListPart } from '../../../http/governance/record-lists.js';
import type { Visit } from '../../pages/visit.js';
import { Ago } from '../../parts/text.js';
import { AdminPage } from '../admin-page.js';
import { EmptyList, ListHead, ListItem, ListPages } from '../list-parts.js';
import type { Done } from '../section.js';
import { permissionsOf } from './permissions.js';

interface PrincipalsPageProps {
  readonly visit: Visit;
  readonly page: ListPart<ListedPrincipal>;
  readonly isFirst: boolean;
  readonly done: Done | null;
}

export function PrincipalsPage({ visit, page, isFirst, done }: PrincipalsPageProps) {
  const { t, path } = visit;
  const words = t.admin.principal;
  return (
    <AdminPage visit={visit} section="principals" title={t.admin.sections.principals} isList={true} done={done}>
      <ListHead visit={visit} section="principals" />
      {page.items.length === 0 ? (
        <EmptyList visit={visit} section="principals" />
      ) : (
        <ul class="items" id="items">
          {page.items.map((one) => (
            <ListItem
              key={one.id}
              id={one.id}
              href={path(`/admin/principals/${one.id}`)}
              badges={
                <>
                  {one.id === visit.caller?.id ? <span class="badge">{words.you}</span> : null}
                  {one.enabled ? null : <span class="badge failed">{words.disabled}</span>}
                </>
              }
              end={
                <>
                  <span class="unseen">{words.lastUse} </span>
                  {one.tokensLastUsedAt === null ? words.never : <Ago at={one.tokensLastUsedAt} visit={visit} />}
                </>
              }
            >
              <span>
                <span class="unseen">{words.kind} </span>
                {words.kinds[one.kind]}
              </span>
              {permissionsOf(one, t).map((permission) => (
                <span key={permission}>{permission}</span>
              ))}
            </ListItem>
          ))}
        </ul>
      )}
      <ListPages visit={visit} below="/admin/principals" isFirst={isFirst} nextCursor={page.nextCursor} />
    </AdminPage>
  );
}
