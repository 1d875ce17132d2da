import { EventCodec } from '../event-store/codec.js';
import { EVENT_CATALOGUE } from '../events/event-catalogue.js';
import type { Command, CommandContext, CommandOutcome } from './command.js';
import { type InspectedLog, withInspectedLog } from './inspected-log.js';
import { type Fault, StreamVerification } from './verify-streams.js';

/** Progress is told each time that so many streams are done. */
const TOLD_EVERY = 10_000;

/** More faults than these are counted, not listed. */
const MOST_LISTED = 100;

export const VERIFY: Command = {
  name: 'verify',
  usage: 'verify [--json]',
  summary: 'reads the whole log and says what is damaged',
  help: `Reads the whole log and every key, and writes nothing; a service may be running.

Checks SQLite's structure of both files, where the log is in files; of every stream that its revisions have no gap, that positions grow, that no
event id comes twice, that every event fits its schema and that every seal opens whose key is not erased; of every run
that its history folds, and of a paused one that its turn has the digest that was recorded. What is wrong with one
stream is said of that stream, and the others are checked all the same.`,
  arguments: [0, 0],
  run: verify,
};

async function verify({ data, progress }: CommandContext): Promise<CommandOutcome> {
  data.assertReady('log', 'keys');
  return await withInspectedLog(data, async (log) => outcomeOf(await verified(log, progress), await log.head()));
}

async function verified(log: InspectedLog, progress: CommandContext['progress']) {
  const verification = new StreamVerification(log, new EventCodec(EVENT_CATALOGUE));
  for (const detail of log.faultsOfFiles()) verification.fault(null, null, 'file_damaged', detail);
  for (const stream of await log.streams()) {
    await verification.verify(stream);
    if (verification.counts.streams % TOLD_EVERY === 0) progress(`${verification.counts.streams} streams checked`);
  }
  return verification;
}

function outcomeOf({ faults, counts }: StreamVerification, head: bigint): CommandOutcome {
  const damaged = [...new Set(faults.flatMap(({ stream }) => stream ?? []))];
  return {
    faulty: faults.length > 0,
    report: { head: head.toString(), ...counts, damagedStreams: damaged, faults },
    lines: [
      `${counts.events} events in ${counts.streams} streams, ${counts.runs} of them runs`,
      `${counts.sealsOpened} seals opened, ${counts.sealsErased} are erased, ${counts.erasuresOutstanding} keys are still to be destroyed`,
      `${counts.turnsRecomputed} turns of waiting runs have the digest that was recorded`,
      ...faults.slice(0, MOST_LISTED).map(inWords),
      ...(faults.length > MOST_LISTED ? [`and ${faults.length - MOST_LISTED} more; --json lists all`] : []),
      faults.length === 0 ? 'No damage was found.' : `${faults.length} faults in ${damaged.length} streams.`,
    ],
  };
}

function inWords({ stream, revision, fault, detail }: Fault): string {
  const place = stream === null ? '' : ` ${stream}${revision === null ? '' : ` at ${revision}`}`;
  return `FAULT${place}: ${fault} (${detail})`;
}
