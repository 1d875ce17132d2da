import { Fragment } from 'preact';
import { ago, moment } from '../messages/moments.js';
import type { Visit } from '../pages/visit.js';
import { stretches } from './visible-text.js';

/**
 * Text that a model, a tool or a person chose: only ever text, set apart from its surroundings whatever its direction, and
 * with marks in place of what cannot be seen.
 */
export function Shown({ text }: { readonly text: string }) {
  return (
    <bdi>
      {stretches(text).map((stretch) =>
        stretch.kind === 'plain' ? (
          stretch.text
        ) : (
          <mark class="hidden-mark">
            {stretch.code}
            {stretch.times > 1 ? ` ×${stretch.times}` : ''}
          </mark>
        ),
      )}
    </bdi>
  );
}

/** A moment in the reader's zone where the browser tells it, else in UTC; the instant itself is in the markup. */
export function Moment({ at, visit }: { readonly at: string; readonly visit: Visit }) {
  return (
    <time dateTime={at} data-moment="">
      {moment(visit.language, at)}
    </time>
  );
}

/** How long ago, kept current by the page; the moment itself is its title. */
export function Ago({ at, visit }: { readonly at: string; readonly visit: Visit }) {
  return (
    <time dateTime={at} title={moment(visit.language, at)} data-ago="">
      {ago(visit.language, at, visit.nowMs)}
    </time>
  );
}

/** Names in a row, such as those of tools. */
export function Names({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      {names.map((name, index) => (
        <Fragment key={name}>
          {index > 0 ? ', ' : ''}
          <span class="name">
            <Shown text={name} />
          </span>
        </Fragment>
      ))}
    </>
  );
}
