import { Injectable } from '@nestjs/common';
import { ERASED } from '../event-store/sealing.js';
import { Streams } from '../event-store/streams.js';
import { type Ceiling, ceilingOf } from './ceiling.js';
import {
  type ConfigurationData,
  type ConfigurationDocument,
  configurationContent,
  openedConfiguration,
} from './configuration-document.js';
import { CONFIGURATION } from './configuration-record.js';
import { EnforcementPolicy } from './enforcement-policy.js';
import { RecordReader } from './records.js';

/** What of a configuration decides: everything but its content. */
export interface Configuration extends ConfigurationData {
  readonly id: string;
  /** Revision of the event that put this document. */
  readonly revision: number;
  /** What its runs may send, and its tools return (SRC-2, SRC-8). */
  readonly ceiling: Ceiling;
}

/** A configuration with its system prompt and its scripted turns. */
export interface OpenConfiguration extends ConfigurationDocument {
  readonly id: string;
  readonly revision: number;
}

/** The configurations as they are at this moment. */
@Injectable()
export class Configurations {
  constructor(
    private readonly records: RecordReader,
    private readonly streams: Streams,
    private readonly enforcement: EnforcementPolicy,
  ) {}

  /** Null where there is none, or none any more. @throws {StoreUnavailable} @throws {EventUnreadable} */
  async read(id: string): Promise<Configuration | null> {
    const { document } = (await this.records.read(CONFIGURATION, id)).state;
    if (document === null) return null;
    const { data, revision } = document;
    return { ...data, id, revision, ceiling: await this.ceilingOf(data) };
  }

  /** The ceiling of a document, under the policy as it is now. @throws {StoreUnavailable} */
  async ceilingOf(document: Pick<ConfigurationData, 'trustZone' | 'fallbacks'>): Promise<Ceiling> {
    return ceilingOf(document, (await this.enforcement.read()).mode);
  }

  /**
   * The same with its content. Opened anew each time: nothing keeps content in the clear longer than a question takes.
   * Null also where the content was erased, which leaves nothing that a run could be started with.
   *
   * @throws {StoreUnavailable} @throws {EventUnreadable}
   */
  async open(id: string): Promise<OpenConfiguration | null> {
    const { stream, state } = await this.records.read(CONFIGURATION, id);
    if (state.document === null) return null;
    const content = this.streams.codec.open(state.document, await this.streams.keys.find(stream));
    if (content === ERASED) return null;
    const { data, revision } = state.document;
    return { ...openedConfiguration(data, configurationContent(content)), id, revision };
  }
}
