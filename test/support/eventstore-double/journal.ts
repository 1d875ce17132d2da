import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { LogRecord } from './records.js';

interface WrittenRecord extends Omit<LogRecord, 'position' | 'data' | 'metadata'> {
  readonly position: string;
  readonly data: string;
  readonly metadata: string;
}

/** Keeps what was written for a server that is killed and started again: one line of JSON for each write. */
export class Journal {
  constructor(private readonly path: string) {}

  append(records: readonly LogRecord[]): void {
    const line = records.map((record) => ({
      ...record,
      position: record.position.toString(),
      data: Buffer.from(record.data).toString('base64'),
      metadata: Buffer.from(record.metadata).toString('base64'),
    }));
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
  }

  /** All complete writes; a line that a kill cut short was never acknowledged. */
  load(): readonly (readonly LogRecord[])[] {
    if (!existsSync(this.path)) return [];
    const lines = readFileSync(this.path, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => (JSON.parse(line) as WrittenRecord[]).map(record));
  }
}

function record(written: WrittenRecord): LogRecord {
  return {
    ...written,
    position: BigInt(written.position),
    data: Buffer.from(written.data, 'base64'),
    metadata: Buffer.from(written.metadata, 'base64'),
  };
}
