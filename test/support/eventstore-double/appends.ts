import type {
  AppendReq as AppendRequest,
  AppendResp as AppendResponse,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerReadableStream, sendUnaryData } from '@grpc/grpc-js';
import { appendConflict, appended } from './answers.js';
import type { EventLog } from './event-log.js';
import type { Gate } from './gate.js';
import type { ProposedEvent } from './records.js';
import { invalidArgument, MAX_APPEND_BYTES, type Refusal, streamDeleted, tooLarge } from './refusals.js';
import { expectedOf, proposedEvent, sizeOf, streamOf } from './requests.js';

type AppendCall = ServerReadableStream<AppendRequest, AppendResponse>;

/** The call `Append`: options first, then the events one by one, then one answer. */
export async function handleAppend(
  call: AppendCall,
  answer: sendUnaryData<AppendResponse>,
  log: EventLog,
  gate: Gate,
): Promise<void> {
  const received = await receive(call);
  const refusal = 'refusal' in received ? received.refusal : await gate.refusal('append', call.metadata);
  if (refusal !== undefined) {
    answer(refusal);
    return;
  }
  const { options, events } = received as Received;
  gate.beforeCommit();
  const stream = streamOf(options);
  const expected = expectedOf(options);
  const told = log.append(stream, expected, events);
  if (gate.afterCommit()) return;
  if (told.outcome === 'deleted') answer(streamDeleted(stream));
  else if (told.outcome === 'wrong_revision') answer(null, appendConflict(expected, told.current));
  else answer(null, appended(told.revision, gate.faults.withoutPositions ? undefined : told.position));
}

interface Received {
  readonly options: AppendRequest.Options;
  readonly events: readonly ProposedEvent[];
}

/** Everything that the client sends, or the first thing that is wrong with it. */
async function receive(call: AppendCall): Promise<Received | { readonly refusal: Refusal }> {
  let options: AppendRequest.Options | undefined;
  const events: ProposedEvent[] = [];
  let size = 0;
  for await (const request of call as AsyncIterable<AppendRequest>) {
    const message = request.getProposedMessage();
    options ??= request.getOptions();
    if (message === undefined) continue;
    const event = proposedEvent(message);
    if ('refusal' in event) return event;
    size += sizeOf(event);
    if (size > MAX_APPEND_BYTES) return { refusal: tooLarge };
    events.push(event);
  }
  return options === undefined
    ? { refusal: invalidArgument('an append begins with its options') }
    : { options, events };
}
