import type { Command, ICommandHandler } from '@nestjs/cqrs';
import { DeleteConfiguration } from '../../src/commands/governance/delete-configuration.command.js';
import { DeleteConfigurationHandler } from '../../src/commands/governance/delete-configuration.handler.js';
import { DeleteSource } from '../../src/commands/governance/delete-source.command.js';
import { DeleteSourceHandler } from '../../src/commands/governance/delete-source.handler.js';
import { IssueToken } from '../../src/commands/governance/issue-token.command.js';
import { IssueTokenHandler } from '../../src/commands/governance/issue-token.handler.js';
import { PutConfiguration } from '../../src/commands/governance/put-configuration.command.js';
import { PutConfigurationHandler } from '../../src/commands/governance/put-configuration.handler.js';
import { PutEnforcement } from '../../src/commands/governance/put-enforcement.command.js';
import { PutEnforcementHandler } from '../../src/commands/governance/put-enforcement.handler.js';
import { PutPrincipal } from '../../src/commands/governance/put-principal.command.js';
import { PutPrincipalHandler } from '../../src/commands/governance/put-principal.handler.js';
import { PutSource } from '../../src/commands/governance/put-source.command.js';
import { PutSourceHandler } from '../../src/commands/governance/put-source.handler.js';
import { RevokeToken } from '../../src/commands/governance/revoke-token.command.js';
import { RevokeTokenHandler } from '../../src/commands/governance/revoke-token.handler.js';
import type { Clock } from '../../src/event-store/clock.js';
import { EventCodec } from '../../src/event-store/codec.js';
import { SystemEntropy } from '../../src/event-store/entropy.js';
import { Streams } from '../../src/event-store/streams.js';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.js';
import { Bootstrap } from '../../src/governance/bootstrap.js';
import { Configurations } from '../../src/governance/configurations.js';
import { EnforcementPolicy } from '../../src/governance/enforcement-policy.js';
import { Principals } from '../../src/governance/principals.js';
import { RecordReader } from '../../src/governance/records.js';
import { Sessions } from '../../src/governance/sessions.js';
import { SignInLinks } from '../../src/governance/sign-in-links.js';
import { Sources } from '../../src/governance/sources.js';
import { Subjects } from '../../src/governance/subjects.js';
import { FixedClock } from './fixed-clock.js';
import { CALM, type FaultPlan, MemoryEventStore } from './memory-event-store.js';
import { MemoryKeyStore, MemoryKeys } from './memory-key-store.js';
import { MemoryLog } from './memory-log.js';

/** What outlives the processes of a service. */
export interface Remains<Time extends Clock = FixedClock> {
  readonly log: MemoryLog;
  readonly keys: MemoryKeys;
  readonly clock: Time;
}

export function remains(): Remains {
  return { log: new MemoryLog(), keys: new MemoryKeys(), clock: new FixedClock() };
}

/** Holds no state; compiling the schemas of every event takes longer than most tests. */
const CODEC = new EventCodec(EVENT_CATALOGUE);

/** The governance of one process, with its real handlers, on a log that several processes may share. */
export class GovernanceDesk<Time extends Clock = FixedClock> {
  readonly streams: Streams;
  readonly records: RecordReader;
  readonly principals: Principals;
  readonly configurations: Configurations;
  readonly sources: Sources;
  readonly bootstrap: Bootstrap;
  readonly sessions: Sessions;
  readonly signInLinks: SignInLinks;
  private readonly handlers: ReadonlyMap<unknown, ICommandHandler>;

  constructor(
    readonly remains: Remains<Time>,
    plan: FaultPlan = CALM,
  ) {
    const { log, keys, clock } = remains;
    const store = new MemoryEventStore(log, plan);
    this.streams = new Streams(
      store,
      CODEC,
      new MemoryKeyStore(keys, { now: () => clock.now() }),
      clock,
      new SystemEntropy(),
    );
    this.records = new RecordReader(this.streams);
    this.principals = new Principals(this.records, this.streams);
    this.configurations = new Configurations(this.records, this.streams, new EnforcementPolicy(this.records));
    this.sources = new Sources(this.records, this.streams);
    const subjects = new Subjects(this.streams);
    this.bootstrap = new Bootstrap(this.streams, subjects);
    this.sessions = new Sessions(this.records, this.streams);
    this.signInLinks = new SignInLinks(this.streams);
    this.handlers = new Map<unknown, ICommandHandler>([
      [PutConfiguration, new PutConfigurationHandler(this.streams)],
      [DeleteConfiguration, new DeleteConfigurationHandler(this.streams)],
      [PutPrincipal, new PutPrincipalHandler(this.streams, subjects)],
      [IssueToken, new IssueTokenHandler(this.streams)],
      [RevokeToken, new RevokeTokenHandler(this.streams)],
      [PutSource, new PutSourceHandler(this.streams)],
      [DeleteSource, new DeleteSourceHandler(this.streams)],
      [PutEnforcement, new PutEnforcementHandler(this.streams)],
    ]);
  }

  async execute<Result>(command: Command<Result>): Promise<Result> {
    const handler = this.handlers.get(command.constructor);
    if (handler === undefined) throw new Error(`no handler of ${command.constructor.name}`);
    return handler.execute(command);
  }
}
