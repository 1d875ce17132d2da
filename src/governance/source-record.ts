import type { Fold } from '../events/decider.js';
import type { RecordedEventOf } from '../events/event.js';
import {
  SKILL_STREAM_PREFIX,
  type SkillPut,
  SNIPPET_STREAM_PREFIX,
  type SnippetPut,
  type SourceEventType,
} from '../events/governance-events.js';
import type { RecordKind } from './records.js';

/** Two kinds of text that go into prompts; they differ in nothing but what they are kept for. */
export const SOURCE_KINDS = ['snippet', 'skill'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** Ids are unique within a kind only, so that a source is named by both wherever the two can meet. */
export interface SourceRef {
  readonly kind: SourceKind;
  readonly id: string;
}

export interface SourceState {
  /** Null before the first document and after a deletion. */
  readonly document: RecordedEventOf<SnippetPut> | RecordedEventOf<SkillPut> | null;
  readonly existed: boolean;
}

const sourceFold: Fold<SourceState, SourceEventType> = {
  initialState: { document: null, existed: false },
  evolve(_state, event) {
    switch (event.type) {
      case 'SnippetPut':
      case 'SkillPut':
        return { document: event, existed: true };
      case 'SnippetDeleted':
      case 'SkillDeleted':
        return { document: null, existed: true };
    }
  },
};

/** Their texts are remembered as they are stored, sealed. */
const MOST_REMEMBERED = 256;

export const SOURCE: { readonly [Kind in SourceKind]: RecordKind<SourceState, SourceEventType> } = {
  snippet: { streamPrefix: SNIPPET_STREAM_PREFIX, fold: sourceFold, mostRemembered: MOST_REMEMBERED },
  skill: { streamPrefix: SKILL_STREAM_PREFIX, fold: sourceFold, mostRemembered: MOST_REMEMBERED },
};

/** `snippet:<id>` or `skill:<id>`, as runs and refusals name a source. */
export function sourceName({ kind, id }: SourceRef): string {
  return `${kind}:${id}`;
}

/** Null where the text is no source's name. */
export function sourceRef(name: string): SourceRef | null {
  const separator = name.indexOf(':');
  const kind = SOURCE_KINDS.find((known) => known === name.slice(0, separator));
  return kind === undefined ? null : { kind, id: name.slice(separator + 1) };
}

/** The names of snippets and skills, in the order in which they stand in a prompt. */
export function sourceNames(snippetIds: readonly string[], skillIds: readonly string[]): string[] {
  return [
    ...snippetIds.map((id) => sourceName({ kind: 'snippet', id })),
    ...skillIds.map((id) => sourceName({ kind: 'skill', id })),
  ];
}
