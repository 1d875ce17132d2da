import type { ComponentChildren } from 'preact';
import type { Visit } from '../pages/visit.js';
import type { Section } from './section.js';

/** The cursor in an address; whether it is one of the list's, the list says. */
export function cursorOf(query: URLSearchParams): { readonly cursor?: string } {
  const cursor = query.get('cursor');
  return cursor === null || cursor === '' ? {} : { cursor };
}

interface ListHeadProps {
  readonly visit: Visit;
  readonly section: Exclude<Section, 'policy' | 'audit'>;
}

/** What the section is about, and the way to make one more. */
export function ListHead({ visit, section }: ListHeadProps) {
  const { t, path } = visit;
  const { admin } = t;
  return (
    <div class="headline with-action">
      <div>
        <h1>{admin.sections[section]}</h1>
        <p class="lead">{admin.lead[section]}</p>
      </div>
      {section === 'tools' ? null : (
        <a class="button second" href={path(`/admin/new/${section}`)}>
          {admin.create[section]}
        </a>
      )}
    </div>
  );
}

export function EmptyList({ visit: { t }, section }: ListHeadProps) {
  return (
    <div class="empty">
      <p class="lead">{t.admin.empty[section]}</p>
      <p>{t.admin.emptyNext[section]}</p>
    </div>
  );
}

interface ListItemProps {
  readonly id: string;
  /** Address of the page about it. */
  readonly href: string;
  readonly badges?: ComponentChildren;
  /** What stands at the end of the row. */
  readonly end?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A row: the id leads to the page about it, and what decides stands below. */
export function ListItem({ id, href, badges, end, children }: ListItemProps) {
  return (
    <li class="item" data-item={id}>
      <a class="item-link" href={href}>
        <span class="name">{id}</span>
        {badges}
      </a>
      <span class="item-facts">{children}</span>
      {end === undefined ? null : <span class="item-age">{end}</span>}
    </li>
  );
}

interface ListPagesProps {
  readonly visit: Visit;
  /** Address of the list below `/inbox`, with its filters. */
  readonly below: string;
  readonly isFirst: boolean;
  readonly nextCursor: string | null;
  /** What the link to the next page says. */
  readonly next?: string;
}

/** Links to other pages of a list. */
export function ListPages({ visit, below, isFirst, nextCursor, next }: ListPagesProps) {
  const { t, path } = visit;
  if (isFirst && nextCursor === null) return null;
  const separator = below.includes('?') ? '&' : '?';
  return (
    <p class="pages">
      {isFirst ? null : <a href={path(below)}>{t.admin.first}</a>}
      {nextCursor === null ? null : (
        <a href={path(`${below}${separator}cursor=${encodeURIComponent(nextCursor)}`)}>{next ?? t.admin.next}</a>
      )}
    </p>
  );
}
