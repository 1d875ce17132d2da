import shared from '@eventstore/db-client/generated/shared_pb.js';
import statusMessages from '@eventstore/db-client/generated/status_pb.js';
import type {
  BatchAppendReq as BatchAppendRequest,
  BatchAppendResp as BatchAppendResponse,
} from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import type { EventLog, Expected, WriteOutcome } from './event-log.js';
import type { Gate } from './gate.js';
import type { ProposedEvent } from './records.js';
import { MAX_APPEND_BYTES } from './refusals.js';
import { expectedOf, proposedEvent, sizeOf, streamOf } from './requests.js';

const { BatchAppendResp } = streams;

interface Pending {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: ProposedEvent[];
}

/** The call `BatchAppend`: any number of appends on one stream, each with an answer that names it. */
export async function handleBatchAppend(
  call: ServerDuplexStream<BatchAppendRequest, BatchAppendResponse>,
  log: EventLog,
  gate: Gate,
): Promise<void> {
  gate.calls.batchAppend = (gate.calls.batchAppend ?? 0) + 1;
  const refusal = await gate.refusal('append', call.metadata);
  if (refusal !== undefined) {
    call.emit('error', refusal);
    return;
  }
  const pending = new Map<string, Pending>();
  call.on('data', (request: BatchAppendRequest) => {
    const id = request.getCorrelationId()?.getString() ?? '';
    const append = pending.get(id) ?? begin(request);
    pending.set(id, append);
    for (const message of request.getProposedMessagesList()) {
      const event = proposedEvent(message);
      if (!('refusal' in event)) append.events.push(event);
    }
    if (!request.getIsFinal()) return;
    pending.delete(id);
    const size = append.events.reduce((sum, event) => sum + sizeOf(event), 0);
    const told = size > MAX_APPEND_BYTES ? 'too_large' : log.append(append.stream, append.expected, append.events);
    if (!gate.faults.loseAnswers) call.write(response(request, append, told));
  });
  call.on('end', () => call.end());
}

function begin(request: BatchAppendRequest): Pending {
  const options = request.getOptions();
  if (options === undefined) throw new Error('the first part of an append has its options');
  const expected = expectedOf({
    hasRevision: () => options.hasStreamPosition(),
    getRevision: () => options.getStreamPosition(),
    hasNoStream: () => options.hasNoStream(),
    hasStreamExists: () => options.hasStreamExists(),
    getStreamIdentifier: () => options.getStreamIdentifier(),
  });
  return { stream: streamOf(options), expected, events: [] };
}

function response(request: BatchAppendRequest, { stream, expected }: Pending, told: WriteOutcome | 'too_large') {
  const answer = new BatchAppendResp();
  answer.setCorrelationId(request.getCorrelationId());
  const name = new shared.StreamIdentifier();
  name.setStreamName(Buffer.from(stream, 'utf8'));
  answer.setStreamIdentifier(name);
  if (told === 'too_large') answer.setError(failure('MaximumAppendSizeExceeded', sizeLimit()));
  else if (told.outcome === 'deleted') answer.setError(failure('StreamDeleted', new shared.StreamDeleted()));
  else if (told.outcome === 'wrong_revision')
    answer.setError(failure('WrongExpectedVersion', conflict(expected, told.current)));
  else answer.setSuccess(success(told.revision, told.position));
  return answer;
}

function success(revision: number, position: bigint) {
  const place = new shared.AllStreamPosition();
  place.setCommitPosition(`${position}`);
  place.setPreparePosition(`${position}`);
  const appended = new BatchAppendResp.Success();
  appended.setCurrentRevision(`${revision}`);
  appended.setPosition(place);
  return appended;
}

function conflict(expected: Expected, current: number | 'no_stream') {
  const details = new shared.WrongExpectedVersion();
  if (typeof expected === 'number') details.setExpectedStreamPosition(`${expected}`);
  else if (expected === 'no_stream') details.setExpectedNoStream(new empty.Empty());
  else details.setExpectedAny(new empty.Empty());
  if (current === 'no_stream') details.setCurrentNoStream(new empty.Empty());
  else details.setCurrentStreamRevision(`${current}`);
  return details;
}

function sizeLimit() {
  const details = new shared.MaximumAppendSizeExceeded();
  details.setMaxappendsize(MAX_APPEND_BYTES);
  return details;
}

function failure(name: string, details: { serializeBinary(): Uint8Array }) {
  const packed = new any.Any();
  packed.pack(details.serializeBinary(), `event_store.client.${name}`);
  const status = new statusMessages.Status();
  status.setMessage(name);
  status.setDetails(packed);
  return status;
}
