import { Injectable } from '@nestjs/common';
import { EventUnreadable } from '../event-store/codec.js';
import { type Enforcement, knownEnforcement } from './ceiling.js';
import { DATA_CLASS_ENFORCEMENT_ID, ENFORCEMENT } from './enforcement-record.js';
import { RecordReader } from './records.js';

export interface EnforcementDocument {
  readonly mode: Enforcement;
  /** Revision of the event that put it; null where nobody has yet. */
  readonly revision: number | null;
}

/** Whether the ceiling is kept or only observed, as it is at this moment. */
@Injectable()
export class EnforcementPolicy {
  constructor(private readonly records: RecordReader) {}

  /** @throws {StoreUnavailable} */
  async read(): Promise<EnforcementDocument> {
    try {
      const { document } = (await this.records.read(ENFORCEMENT, DATA_CLASS_ENFORCEMENT_ID)).state;
      return { mode: knownEnforcement(document?.data.mode), revision: document?.revision ?? null };
    } catch (error) {
      // A record that cannot be read is no permission to send (SRC-7).
      if (error instanceof EventUnreadable) return { mode: 'enforce', revision: null };
      throw error;
    }
  }
}
