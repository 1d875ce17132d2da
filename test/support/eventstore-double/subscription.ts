import { randomUUID } from 'node:crypto';
import { setImmediate as afterIo } from 'node:timers/promises';
import type { ReadReq as ReadRequest, ReadResp as ReadResponse } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { caughtUp, checkpoint, confirmation, eventRead } from './answers.js';
import type { EventLog } from './event-log.js';
import type { Faults } from './faults.js';
import type { LogRecord } from './records.js';
import { invalidPosition, type Refusal } from './refusals.js';

/** How many records one page of catching up considers, where the client does not say. */
const PAGE = 32;
const END_OF_EVERYTHING = 2n ** 64n - 1n;

export type ReadCall = ServerWritableStream<ReadRequest, ReadResponse>;

/** One subscription to `$all`: first what is there, page by page, then whatever is written. */
export class Subscription {
  readonly #matches: (record: LogRecord) => boolean;
  readonly #filtered: boolean;
  readonly #checkpointInterval: number;
  #position: bigint;
  #considered = 0;
  #stopListening = () => {};
  #over = false;
  #mute = false;

  constructor(
    private readonly call: ReadCall,
    private readonly log: EventLog,
    private readonly faults: () => Faults,
  ) {
    const options = call.request.getOptions() as ReadRequest.Options;
    const filter = options.getFilter();
    const names = filter?.getStreamIdentifier()?.getPrefixList();
    const types = filter?.getEventType()?.getPrefixList();
    this.#filtered = filter !== undefined;
    this.#matches = ({ stream, type }) =>
      !this.#filtered ||
      names?.some((prefix) => stream.startsWith(prefix)) ||
      types?.some((prefix) => type.startsWith(prefix)) ||
      false;
    this.#checkpointInterval = (filter?.getCheckpointintervalmultiplier() ?? 1) * (filter?.getMax() || PAGE);
    const all = options.getAll();
    const from = all?.getPosition()?.getCommitPosition();
    this.#position = all?.hasEnd() ? log.lastPosition : from === undefined ? -1n : BigInt(from);
  }

  async run(): Promise<void> {
    this.call.write(confirmation(randomUUID()));
    if (this.#position < this.log.lastPosition && this.#position !== -1n && !this.log.isPosition(this.#position)) {
      this.fail(invalidPosition);
      return;
    }
    while (!this.#over && this.#position < this.log.lastPosition) await this.#catchUp();
    if (!this.#over) this.#goLive();
  }

  /** The server says that it is over, without an error. */
  end(): void {
    this.close();
    this.call.end();
  }

  fail(refusal: Refusal): void {
    this.close();
    this.call.emit('error', refusal);
  }

  /** The client is not listening any more. */
  close(): void {
    this.#over = true;
    this.#stopListening();
  }

  async #catchUp(): Promise<void> {
    while (!this.#over) {
      const start = this.log.indexBehind(this.#position);
      const page = this.log.records.slice(start, start + PAGE);
      for (const record of page) await this.#send(record);
      this.#considered += page.length;
      if (page.length < PAGE) break;
      if (this.#considered >= this.#checkpointInterval) this.#sendCheckpoint();
      await afterIo();
    }
    this.#sendCheckpoint();
  }

  async #send(record: LogRecord): Promise<void> {
    this.#position = record.position;
    if (!this.#matches(record) || this.#over) return;
    if (!this.call.write(eventRead(record))) await new Promise((resolve) => this.call.once('drain', resolve));
  }

  #goLive(): void {
    this.call.write(caughtUp());
    this.#considered = 0;
    this.#stopListening = this.log.onWritten((records) => {
      if (this.faults().muteSubscriptions) this.#mute = true;
      if (this.#mute) return;
      for (const record of records) this.#sendLive(record);
    });
  }

  #sendLive(record: LogRecord): void {
    this.#position = record.position;
    if (this.#matches(record)) this.call.write(eventRead(record));
    this.#considered += 1;
    if (this.#considered >= this.#checkpointInterval) this.#sendCheckpoint();
  }

  #sendCheckpoint(): void {
    this.#considered = 0;
    if (!this.#filtered || this.#over) return;
    const { endCheckpoint, checkpointsAhead } = this.faults();
    const position = endCheckpoint ? END_OF_EVERYTHING : this.#position + BigInt(checkpointsAhead);
    if (position >= 0n) this.call.write(checkpoint(position));
  }
}
