import type {
  DeleteReq as DeleteRequest,
  DeleteResp as DeleteResponse,
  TombstoneReq as TombstoneRequest,
  TombstoneResp as TombstoneResponse,
} from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import type { EventLog } from './event-log.js';
import type { Gate } from './gate.js';
import { streamDeleted, wrongRevision } from './refusals.js';
import { asNumber, expectedOf, streamOf } from './requests.js';

const { DeleteResp, TombstoneResp } = streams;

export async function handleDelete(
  call: ServerUnaryCall<DeleteRequest, DeleteResponse>,
  answer: sendUnaryData<DeleteResponse>,
  log: EventLog,
  gate: Gate,
): Promise<void> {
  const position = new DeleteResp.Position();
  const response = new DeleteResp();
  response.setPosition(position);
  await remove('Delete', call, answer, { response, position }, log, gate);
}

export async function handleTombstone(
  call: ServerUnaryCall<TombstoneRequest, TombstoneResponse>,
  answer: sendUnaryData<TombstoneResponse>,
  log: EventLog,
  gate: Gate,
): Promise<void> {
  const position = new TombstoneResp.Position();
  const response = new TombstoneResp();
  response.setPosition(position);
  await remove('Tombstone', call, answer, { response, position }, log, gate);
}

interface Answer<Response> {
  readonly response: Response;
  readonly position: { setCommitPosition(value: string): unknown; setPreparePosition(value: string): unknown };
}

async function remove<Request extends DeleteRequest | TombstoneRequest, Response>(
  operation: 'Delete' | 'Tombstone',
  call: ServerUnaryCall<Request, Response>,
  answer: sendUnaryData<Response>,
  { response, position }: Answer<Response>,
  log: EventLog,
  gate: Gate,
): Promise<void> {
  const refusal = await gate.refusal('delete', call.metadata);
  if (refusal !== undefined) {
    answer(refusal);
    return;
  }
  const options = call.request.getOptions() as DeleteRequest.Options;
  const stream = streamOf(options);
  const expected = expectedOf(options);
  const told = operation === 'Delete' ? log.delete(stream, expected) : log.tombstone(stream, expected);
  if (gate.faults.loseAnswers) return;
  if (told.outcome === 'deleted') {
    answer(streamDeleted(stream));
  } else if (told.outcome === 'wrong_revision') {
    const actual = told.current === 'no_stream' ? -1 : told.current;
    answer(wrongRevision(operation, stream, asNumber(expected), actual));
  } else {
    position.setCommitPosition(`${told.position}`);
    position.setPreparePosition(`${told.position}`);
    answer(null, response);
  }
}
