import type { Command, Listening, Question, Reply, Start } from '../eventstore-double/commands.js';
import { EventLog } from '../eventstore-double/event-log.js';
import { Journal } from '../eventstore-double/journal.js';
import { EventStoreServer } from '../eventstore-double/server.js';

/**
 * `eventstore-double <start>`: a server with the event store's protocol on a port, until it is killed or whoever started
 * it is gone. Sends the port once it listens, then does what it is told by messages.
 */
const start = JSON.parse(process.argv[2] ?? '') as Start;

const server = new EventStoreServer(new EventLog(new Journal(start.journal)), start.certificate);
process.once('disconnect', () => process.exit());
process.on('message', (question: Question) => void obey(question));
await server.listen(start.port);
tell({ port: server.door.port });

async function obey({ id, command }: Question): Promise<void> {
  await carryOut(command);
  tell({ id, calls: server.gate.calls });
}

async function carryOut(command: Command): Promise<void> {
  switch (command.do) {
    case 'break':
      server.gate.faults = command.faults;
      return;
    case 'cut_connections':
      server.door.cutAll();
      return;
    case 'freeze':
      server.door.freeze();
      return;
    case 'thaw':
      server.door.thaw();
      return;
    case 'leave':
      await server.door.close();
      return;
    case 'return':
      await server.door.open();
      return;
    case 'end_subscriptions':
      server.endSubscriptions();
      return;
    case 'fail_subscriptions':
      server.failSubscriptions(command);
      return;
    case 'count_calls':
      return;
  }
}

function tell(message: Listening | Reply): void {
  process.send?.(message);
}
