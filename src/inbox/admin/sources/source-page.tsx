import type { OpenSource, Source } from '../../../governance/sources.js';
import type { ListedConfiguration, ListPart } from '../../../http/governance/record-lists.js';
import type { Visit } from '../../pages/visit.js';
import { Block } from '../../parts/arguments.js';
import { Notice } from '../../parts/notice.js';
import { Shown } from '../../parts/text.js';
import { hasHidden } from '../../parts/visible-text.js';
import { AdminPage } from '../admin-page.js';
import { Fact, Facts } from '../facts.js';
import type { Done } from '../section.js';
import { ClassMeaning } from './class-meaning.js';

interface SourcePageProps {
  readonly visit: Visit;
  readonly section: 'snippets' | 'skills';
  readonly id: string;
  readonly source: Source;
  /** With its words; null where they were erased. */
  readonly opened: OpenSource | null;
  readonly uses: ListPart<ListedConfiguration>;
  readonly done: Done | null;
}

export function SourcePage({ visit, section, id, source, opened, uses, done }: SourcePageProps) {
  const { t, path } = visit;
  const words = t.admin.source;
  return (
    <AdminPage visit={visit} section={section} title={id} done={done}>
      <div class="headline with-action">
        <h1>{id}</h1>
        {opened === null ? null : (
          <p class="actions">
            <a class="button second" href={path(`/admin/${section}/${id}/edit`)}>
              {t.admin.edit}
            </a>
          </p>
        )}
      </div>
      {opened === null ? <Notice tone="warning" title={words.erased} /> : null}
      <section class="card">
        <Facts>
          {opened === null ? null : (
            <Fact name={words.name}>
              <Shown text={opened.name} />
            </Fact>
          )}
          <Fact name={words.dataClass}>{source.dataClass ?? words.noClass}</Fact>
          <Fact name={words.active}>{source.active ? t.admin.yes : t.admin.no}</Fact>
        </Facts>
      </section>
      {opened === null ? null : (
        <section class="card">
          <h2>{words.content}</h2>
          {hasHidden(opened.content) ? <p class="note warning">{t.run.hiddenFound}</p> : null}
          <Block text={opened.content} label={words.content} />
        </section>
      )}
      <section class="card quiet-card">
        <h2>{words.meaning}</h2>
        <ClassMeaning dataClass={source.dataClass} t={t} />
        <Uses visit={visit} uses={uses} />
      </section>
      <p>
        <a href={path(`/admin/${section}/${id}/delete`)}>{t.admin.remove} …</a>
      </p>
    </AdminPage>
  );
}

/** Which configurations put the source into their prompts. */
export function Uses({ visit: { t, path }, uses }: Pick<SourcePageProps, 'visit' | 'uses'>) {
  const words = t.admin.source;
  return (
    <>
      <h2>{words.uses}</h2>
      {uses.items.length === 0 ? (
        <p>{words.usesNone}</p>
      ) : (
        <ul class="bare">
          {uses.items.map(({ id }) => (
            <li key={id}>
              <a href={path(`/admin/configurations/${id}`)}>{id}</a>
            </li>
          ))}
          {uses.nextCursor === null ? null : <li>{words.usesMore}</li>}
        </ul>
      )}
    </>
  );
}
