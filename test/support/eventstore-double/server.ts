import type { IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import type { IServerFeaturesServer } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { handleAppend } from './appends.js';
import { handleBatchAppend } from './batch-appends.js';
import { handleDelete, handleTombstone } from './deletions.js';
import type { EventLog } from './event-log.js';
import { FrontDoor } from './front-door.js';
import { Cut, Gate } from './gate.js';
import { handleRead } from './reads.js';
import { notReady, type Refusal } from './refusals.js';
import type { Subscription } from './subscription.js';

export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** A server that speaks the store's protocol, over a log in memory. */
export class EventStoreServer {
  readonly gate: Gate;
  readonly #server = new Server();
  readonly #subscriptions = new Set<Subscription>();
  #door: FrontDoor | undefined;

  constructor(
    log: EventLog,
    private readonly certificate?: Certificate,
  ) {
    const gate = new Gate(certificate !== undefined, () => this.door);
    this.gate = gate;
    const calls: IStreamsServer = {
      read: (call) => settled(call, handleRead(call, log, gate, this.#subscriptions)),
      append: (call, answer) => settled(call, handleAppend(call, answer, log, gate)),
      batchAppend: (call) => settled(call, handleBatchAppend(call, log, gate)),
      delete: (call, answer) => settled(call, handleDelete(call, answer, log, gate)),
      tombstone: (call, answer) => settled(call, handleTombstone(call, answer, log, gate)),
    };
    const about: IServerFeaturesServer = { getSupportedMethods: (_call, answer) => answer(null, supportedMethods()) };
    const cluster: IGossipServer = {
      read: (_call, answer) => (gate.faults.noGossip ? answer(notReady) : answer(null, this.#members())),
    };
    this.#server.addService(streamsService.StreamsService, calls);
    this.#server.addService(featuresService.ServerFeaturesService, about);
    this.#server.addService(gossipService.GossipService, cluster);
  }

  get door(): FrontDoor {
    if (this.#door === undefined) throw new Error('the server does not listen yet');
    return this.#door;
  }

  /** @param port of the front door; 0 for a free one. */
  async listen(port: number): Promise<void> {
    const credentials =
      this.certificate === undefined
        ? ServerCredentials.createInsecure()
        : ServerCredentials.createSsl(null, [
            { cert_chain: Buffer.from(this.certificate.certificate), private_key: Buffer.from(this.certificate.key) },
          ]);
    const behind = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
    });
    this.#door = new FrontDoor(behind);
    await this.#door.open(port);
  }

  endSubscriptions(): void {
    for (const subscription of this.#subscriptions) subscription.end();
  }

  failSubscriptions(refusal: Refusal): void {
    for (const subscription of this.#subscriptions) subscription.fail(refusal);
  }

  /** What a node tells of its cluster: itself alone, leading. */
  #members() {
    const endPoint = new gossip.EndPoint();
    endPoint.setAddress('localhost');
    endPoint.setPort(this.door.port);
    const member = new gossip.MemberInfo();
    member.setHttpEndPoint(endPoint);
    member.setState(gossip.MemberInfo.VNodeState.LEADER);
    member.setIsAlive(true);
    const cluster = new gossip.ClusterInfo();
    cluster.setMembersList([member]);
    return cluster;
  }
}

function supportedMethods() {
  const supported = new features.SupportedMethods();
  supported.setEventStoreServerVersion('0.0.0');
  for (const name of ['append', 'batchappend', 'delete', 'read', 'tombstone']) {
    const method = new features.SupportedMethod();
    method.setServiceName('event_store.client.streams.streams');
    method.setMethodName(name);
    supported.addMethods(method);
  }
  return supported;
}

/** A handler that fails is a fault of this server's, told to the client as one; a cut connection tells nobody anything. */
function settled(call: { emit(event: 'error', error: Error): unknown }, handling: Promise<void>): void {
  handling.catch((error: unknown) => {
    if (!(error instanceof Cut)) call.emit('error', error as Error);
  });
}
