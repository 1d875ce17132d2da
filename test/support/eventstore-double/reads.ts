import type { ReadReq as ReadRequest } from '@eventstore/db-client/generated/streams_pb.js';
import { eventRead, streamNotFound } from './answers.js';
import type { EventLog } from './event-log.js';
import type { Gate } from './gate.js';
import type { LogRecord } from './records.js';
import { invalidArgument, streamDeleted } from './refusals.js';
import { streamOf } from './requests.js';
import { type ReadCall, Subscription } from './subscription.js';

/** The call `Read`, which is reading a stream, reading everything, and subscribing to everything. */
export async function handleRead(
  call: ReadCall,
  log: EventLog,
  gate: Gate,
  subscriptions: Set<Subscription>,
): Promise<void> {
  const options = call.request.getOptions();
  if (options === undefined || !options.hasUuidOption()) {
    call.emit('error', invalidArgument("'uuidOption' is a required argument"));
    return;
  }
  const method = options.hasSubscription() ? 'subscribe' : 'read';
  const refusal = await gate.refusal(method, call.metadata, options.hasAll());
  if (refusal !== undefined) {
    call.emit('error', refusal);
  } else if (!options.hasSubscription()) {
    read(call, options, log);
  } else if (options.hasAll()) {
    await subscribe(call, log, gate, subscriptions);
  } else {
    call.emit('error', invalidArgument('only everything can be subscribed to here'));
  }
}

function read(call: ReadCall, options: ReadRequest.Options, log: EventLog): void {
  const backwards = options.getReadDirection() === 1;
  const count = Number(options.getCount());
  const all = options.getAll();
  if (all !== undefined) {
    const position = all.getPosition()?.getCommitPosition();
    const from = position === undefined ? (all.hasEnd() ? 'end' : 'start') : BigInt(position);
    send(call, log.readAll(from, backwards, count));
    return;
  }
  const streamOptions = options.getStream() as ReadRequest.Options.StreamOptions;
  const stream = streamOf(streamOptions);
  const from = streamOptions.hasEnd() ? 'end' : Number(streamOptions.getRevision());
  const found = log.readStream(stream, from, backwards, count);
  if ('records' in found) {
    send(call, found.records);
  } else if (found.outcome === 'deleted') {
    call.emit('error', streamDeleted(stream));
  } else {
    call.write(streamNotFound(stream));
    call.end();
  }
}

function send(call: ReadCall, records: readonly LogRecord[]): void {
  for (const record of records) call.write(eventRead(record));
  call.end();
}

async function subscribe(call: ReadCall, log: EventLog, gate: Gate, subscriptions: Set<Subscription>): Promise<void> {
  const subscription = new Subscription(call, log, () => gate.faults);
  subscriptions.add(subscription);
  const over = () => {
    subscription.close();
    subscriptions.delete(subscription);
  };
  call.on('cancelled', over);
  call.on('close', over);
  await subscription.run();
}
