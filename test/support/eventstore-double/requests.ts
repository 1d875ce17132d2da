import type {
  AppendReq as AppendRequest,
  BatchAppendReq as BatchAppendRequest,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { Expected } from './event-log.js';
import type { ProposedEvent } from './records.js';
import { missingProperty, type Refusal } from './refusals.js';

interface RevisionOptions {
  hasRevision(): boolean;
  getRevision(): string;
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
  getStreamIdentifier(): { getStreamName_asU8(): Uint8Array } | undefined;
}

type ProposedMessage = AppendRequest.ProposedMessage | BatchAppendRequest.ProposedMessage;

export function streamOf(options: Pick<RevisionOptions, 'getStreamIdentifier'>): string {
  return Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8');
}

export function expectedOf(options: RevisionOptions): Expected {
  if (options.hasRevision()) return Number(options.getRevision());
  if (options.hasNoStream()) return 'no_stream';
  return options.hasStreamExists() ? 'stream_exists' : 'any';
}

/** How an expected revision is written in an error. */
export function asNumber(expected: Expected): number {
  if (typeof expected === 'number') return expected;
  return { any: -2, no_stream: -1, stream_exists: -4 }[expected];
}

export function proposedEvent(message: ProposedMessage): ProposedEvent | { readonly refusal: Refusal } {
  const properties = message.getMetadataMap();
  for (const name of ['type', 'content-type']) {
    if (properties.get(name) === undefined) return { refusal: missingProperty(name) };
  }
  return {
    id: message.getId()?.getString() ?? '',
    type: properties.get('type') as string,
    json: properties.get('content-type') === 'application/json',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** What an event counts towards the limit of an append. */
export function sizeOf({ type, data, metadata }: ProposedEvent): number {
  return data.length + metadata.length + 2 * type.length;
}
