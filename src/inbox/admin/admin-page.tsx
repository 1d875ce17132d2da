import type { ComponentChildren } from 'preact';
import type { Visit } from '../pages/visit.js';
import { Layout } from '../parts/layout.js';
import { Notice } from '../parts/notice.js';
import { type Done, SECTIONS, type Section } from './section.js';

interface AdminPageProps {
  readonly visit: Visit;
  readonly section: Section;
  readonly title: string;
  /** False on a page about one of what the section lists: then the way back is a link. */
  readonly isList?: boolean;
  readonly done?: Done | null;
  readonly children: ComponentChildren;
}

/** What all pages of the administration have around their content. */
export function AdminPage({ visit, section, title, isList = false, done = null, children }: AdminPageProps) {
  const { t, path } = visit;
  const { admin } = t;
  return (
    <Layout visit={visit} title={title} current="admin">
      <nav class="sections" aria-label={admin.sections.label}>
        <ul>
          {SECTIONS.map((one) => (
            <li key={one}>
              <a
                href={path(`/admin/${one}`)}
                {...(one === section ? { 'aria-current': isList ? ('page' as const) : ('true' as const) } : {})}
              >
                {admin.sections[one]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {done === null ? null : <Notice tone="good" title={admin.done[done]} />}
      {children}
    </Layout>
  );
}
