import shared from '@eventstore/db-client/generated/shared_pb.js';
import type {
  AppendResp as AppendResponse,
  ReadResp as ReadResponse,
} from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Expected } from './event-log.js';
import type { LogRecord } from './records.js';

const { AppendResp, ReadResp } = streams;
const { Empty, StreamIdentifier, UUID } = shared;

export function appended(revision: number, position: bigint | undefined): AppendResponse {
  const success = new AppendResp.Success();
  success.setCurrentRevision(`${revision}`);
  if (position === undefined) {
    success.setNoPosition(new Empty());
  } else {
    const place = new AppendResp.Position();
    place.setCommitPosition(`${position}`);
    place.setPreparePosition(`${position}`);
    success.setPosition(place);
  }
  const answer = new AppendResp();
  answer.setSuccess(success);
  return answer;
}

export function appendConflict(expected: Expected, current: number | 'no_stream'): AppendResponse {
  const conflict = new AppendResp.WrongExpectedVersion();
  if (typeof expected === 'number') conflict.setExpectedRevision(`${expected}`);
  if (expected === 'any') conflict.setExpectedAny(new Empty());
  if (expected === 'no_stream') conflict.setExpectedNoStream(new Empty());
  if (expected === 'stream_exists') conflict.setExpectedStreamExists(new Empty());
  if (current === 'no_stream') conflict.setCurrentNoStream(new Empty());
  else conflict.setCurrentRevision(`${current}`);
  const answer = new AppendResp();
  answer.setWrongExpectedVersion(conflict);
  return answer;
}

export function eventRead(record: LogRecord): ReadResponse {
  const recorded = new ReadResp.ReadEvent.RecordedEvent();
  const id = new UUID();
  id.setString(record.id);
  recorded.setId(id);
  recorded.setStreamIdentifier(identifier(record.stream));
  recorded.setStreamRevision(`${record.revision}`);
  recorded.setCommitPosition(`${record.position}`);
  recorded.setPreparePosition(`${record.position}`);
  recorded.getMetadataMap().set('type', record.type);
  recorded.getMetadataMap().set('created', '0');
  recorded.getMetadataMap().set('content-type', record.json ? 'application/json' : 'application/octet-stream');
  recorded.setData(record.data);
  recorded.setCustomMetadata(record.metadata);
  const event = new ReadResp.ReadEvent();
  event.setEvent(recorded);
  event.setCommitPosition(`${record.position}`);
  const answer = new ReadResp();
  answer.setEvent(event);
  return answer;
}

export function streamNotFound(stream: string): ReadResponse {
  const notFound = new ReadResp.StreamNotFound();
  notFound.setStreamIdentifier(identifier(stream));
  const answer = new ReadResp();
  answer.setStreamNotFound(notFound);
  return answer;
}

export function confirmation(subscriptionId: string): ReadResponse {
  const confirmed = new ReadResp.SubscriptionConfirmation();
  confirmed.setSubscriptionId(subscriptionId);
  const answer = new ReadResp();
  answer.setConfirmation(confirmed);
  return answer;
}

export function checkpoint(position: bigint): ReadResponse {
  const reached = new ReadResp.Checkpoint();
  reached.setCommitPosition(`${position}`);
  reached.setPreparePosition(`${position}`);
  const answer = new ReadResp();
  answer.setCheckpoint(reached);
  return answer;
}

export function caughtUp(): ReadResponse {
  const answer = new ReadResp();
  answer.setCaughtUp(new ReadResp.CaughtUp());
  return answer;
}

function identifier(stream: string): InstanceType<typeof StreamIdentifier> {
  const name = new StreamIdentifier();
  name.setStreamName(Buffer.from(stream, 'utf8'));
  return name;
}
