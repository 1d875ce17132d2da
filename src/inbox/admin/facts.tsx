import type { ComponentChildren } from 'preact';

/** What is to be known of a record: names and values. */
export function Facts({ children }: { readonly children: ComponentChildren }) {
  return <dl class="record">{children}</dl>;
}

interface FactProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

export function Fact({ name, children }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
