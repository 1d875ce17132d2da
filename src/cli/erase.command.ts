import { randomUUID } from 'node:crypto';
import { SystemClock } from '../event-store/clock.js';
import { EventCodec } from '../event-store/codec.js';
import { SystemEntropy } from '../event-store/entropy.js';
import { KEY_SCOPES, type KeyScope } from '../event-store/key-store.js';
import { Streams } from '../event-store/streams.js';
import { EVENT_CATALOGUE } from '../events/event-catalogue.js';
import { runStream } from '../events/run-events.js';
import { decideEraseContent, type EraseRejection } from '../run/decisions/erase-content.js';
import { runFold } from '../run/evolve.js';
import type { Command, CommandContext, CommandOutcome } from './command.js';
import { CannotRun, UsageMistake } from './failures.js';
import { withLogAndKeys } from './log-ports.js';

export const ERASE: Command = {
  name: 'erase',
  usage: 'erase RUN_ID [--scope working|outcome|all]',
  summary: 'erases the content of a settled run for good',
  help: `Records that content of a settled run is erased, and destroys its keys: no copy of the log can be read any more, save
by whoever has an older backup of the keys and the master key. Services may be running. Erasing again changes nothing.
On a server the bytes of a destroyed key stay until the server is scavenged.

  --scope S    working: all but the final answer; outcome: the final answer; all (what is taken where none is named)`,
  options: { scope: { type: 'string' } },
  arguments: [1, 1],
  run: erase,
};

async function erase({ data, args, options }: CommandContext): Promise<CommandOutcome> {
  const [runId] = args as [string];
  const scopes = scopesOf(options.scope ?? 'all');
  data.assertReady('log', 'keys');
  await withLogAndKeys(data, async ({ store, keys }) => {
    await record(new Streams(store, new EventCodec(EVENT_CATALOGUE), keys, new SystemClock(), new SystemEntropy()));
    // A service would do so, too; without one it is done all the same.
    for (const scope of scopes) await keys.destroy(runStream(runId), scope);
  });
  return {
    faulty: false,
    report: { runId, erased: scopes },
    lines: [`The content of run ${runId} is erased (${scopes.join(', ')}).`],
  };

  async function record(streams: Streams): Promise<void> {
    const actor = { kind: 'system', id: 'operator' } as const;
    const result = await streams.execute(
      runStream(runId),
      runFold,
      { actor, correlationId: randomUUID() },
      async () => null,
      (state) => decideEraseContent(state, { scopes, reason: 'request' }),
    );
    if (result.outcome === 'rejected') throw new CannotRun(sentenceOf(runId, result.rejection));
  }
}

function sentenceOf(runId: string, rejection: EraseRejection): string {
  if (rejection.code === 'run_not_found') return `There is no run ${runId}; nothing was erased.`;
  return `Run ${runId} has not ended (${rejection.status}) and needs its content; cancel it first. Nothing was erased.`;
}

/** @throws {UsageMistake} */
function scopesOf(scope: string): readonly KeyScope[] {
  if (scope === 'all') return KEY_SCOPES;
  const named = KEY_SCOPES.filter((candidate) => candidate === scope);
  if (named.length === 0) throw new UsageMistake('--scope is working, outcome or all.');
  return named;
}
