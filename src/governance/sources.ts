import { Injectable } from '@nestjs/common';
import { ERASED } from '../event-store/sealing.js';
import { Streams } from '../event-store/streams.js';
import type { SnippetPut } from '../events/governance-events.js';
import type { DataClass } from '../tools/tool.js';
import { knownClass } from './ceiling.js';
import { RecordReader } from './records.js';
import { SOURCE, type SourceRef, type SourceState, sourceName, sourceRef } from './source-record.js';

/** What of a source decides: everything but its name and its text. */
export interface Source {
  /** `snippet:<id>` or `skill:<id>`. */
  readonly source: string;
  /** Null: it puts no limit on where it goes. */
  readonly dataClass: DataClass | null;
  /** False: new runs cannot use it. */
  readonly active: boolean;
  /** Revision of the event that put this document. */
  readonly revision: number;
}

/** A source with its words. */
export interface OpenSource extends Source {
  readonly name: string;
  readonly content: string;
}

/** What of the sources that were asked for goes into a prompt. */
export interface PromptSources {
  readonly used: readonly OpenSource[];
  /** Names of those that cannot be used: inactive, deleted, or never there. */
  readonly skipped: readonly string[];
}

/** Snippets and skills as they are at this moment. */
@Injectable()
export class Sources {
  constructor(
    private readonly records: RecordReader,
    private readonly streams: Streams,
  ) {}

  /** Those of the names that exist, in their order. @throws {StoreUnavailable} @throws {EventUnreadable} */
  async named(names: readonly string[]): Promise<readonly Source[]> {
    const found = await Promise.all(names.map((name) => this.read(name)));
    return found.flatMap((source) => source ?? []);
  }

  /**
   * Opened anew each time: nothing keeps a source's text in the clear longer than a question takes. Null where there is
   * none, none any more, or its text was erased.
   *
   * @throws {StoreUnavailable} @throws {EventUnreadable}
   */
  async open(ref: SourceRef): Promise<OpenSource | null> {
    const { stream, state } = await this.records.read(SOURCE[ref.kind], ref.id);
    if (state.document === null) return null;
    const content = this.streams.codec.open(state.document, await this.streams.keys.find(stream));
    if (content === ERASED) return null;
    // The codec has checked it against the schema of its event.
    return { ...sourceOf(ref, state.document), ...(content as unknown as SnippetPut['content']) };
  }

  /**
   * Takes each source once, at its first place, and leaves out what a new run cannot use.
   *
   * @param names as they were asked for, in the order of the prompt
   * @throws {StoreUnavailable} @throws {EventUnreadable}
   */
  async forPrompt(names: readonly string[]): Promise<PromptSources> {
    const asked = [...new Set(names)];
    const opened = await Promise.all(
      asked.map(async (name) => {
        const ref = sourceRef(name);
        const source = ref === null ? null : await this.open(ref);
        return { name, source: source?.active === true ? source : null };
      }),
    );
    return {
      used: opened.flatMap(({ source }) => source ?? []),
      skipped: opened.flatMap(({ name, source }) => (source === null ? [name] : [])),
    };
  }

  private async read(name: string): Promise<Source | null> {
    const ref = sourceRef(name);
    if (ref === null) return null;
    const { document } = (await this.records.read(SOURCE[ref.kind], ref.id)).state;
    return document === null ? null : sourceOf(ref, document);
  }
}

function sourceOf(ref: SourceRef, { data, revision }: NonNullable<SourceState['document']>): Source {
  const dataClass = data.dataClass === null ? null : knownClass(data.dataClass);
  return { source: sourceName(ref), dataClass, active: data.active, revision };
}
