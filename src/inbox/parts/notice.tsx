import type { ComponentChildren } from 'preact';

export type Tone = 'good' | 'warning' | 'bad' | 'quiet';

interface NoticeProps {
  readonly tone: Tone;
  readonly title: string;
  /** Takes the focus when the page opens, so that nobody misses it. */
  readonly focus?: boolean;
  readonly children?: ComponentChildren;
}

/** What happened, and what can be done now. */
export function Notice({ tone, title, focus = false, children }: NoticeProps) {
  return (
    <section
      class={`notice ${tone}`}
      role={tone === 'bad' || tone === 'warning' ? 'alert' : 'status'}
      {...(focus ? { id: 'notice', tabIndex: -1, autofocus: true } : {})}
    >
      <h2>{title}</h2>
      {children}
    </section>
  );
}
