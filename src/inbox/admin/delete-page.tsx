import type { ComponentChildren } from 'preact';
import type { Visit } from '../pages/visit.js';
import { Notice } from '../parts/notice.js';
import { AdminPage } from './admin-page.js';
import type { Section } from './section.js';
import { type Version, VersionField } from './version.js';

interface DeletePageProps {
  readonly visit: Visit;
  readonly section: Extract<Section, 'configurations' | 'snippets' | 'skills'>;
  readonly id: string;
  readonly version: Version;
  readonly title: string;
  readonly text: string;
  /** Somebody else has changed it since the person looked. */
  readonly isStale: boolean;
  readonly children?: ComponentChildren;
}

/** Asks once more before a record is deleted. */
export function DeletePage({ visit, section, id, version, title, text, isStale, children }: DeletePageProps) {
  const { t, path } = visit;
  return (
    <AdminPage visit={visit} section={section} title={title}>
      {isStale ? (
        <Notice tone="warning" title={t.admin.conflict.title} focus={true}>
          <p>{t.admin.conflict.deletion}</p>
        </Notice>
      ) : null}
      <section class="card ask">
        <h1>{title}</h1>
        <p>{text}</p>
        {children}
        <form method="post" action={path(`/admin/${section}/${id}/delete`)}>
          <VersionField version={version} />
          <p class="actions">
            <button type="submit" class="danger">
              {t.admin.remove}
            </button>
            <a href={path(`/admin/${section}/${id}`)}>{t.admin.cancelDeletion}</a>
          </p>
        </form>
      </section>
    </AdminPage>
  );
}
