import { randomUUID } from 'node:crypto';
import { SystemClock, timestamp } from '../event-store/clock.js';
import { EventCodec } from '../event-store/codec.js';
import { SystemEntropy } from '../event-store/entropy.js';
import { Streams } from '../event-store/streams.js';
import { EVENT_CATALOGUE } from '../events/event-catalogue.js';
import {
  decideMakeAdministrator,
  type MakeAdministratorRejection,
} from '../governance/decisions/make-administrator.js';
import { PRINCIPAL } from '../governance/principal-record.js';
import { isRecordId, recordStream } from '../governance/records.js';
import { makeToken } from '../governance/tokens.js';
import type { Command, CommandContext, CommandOutcome } from './command.js';
import { CannotRun, UsageMistake } from './failures.js';
import { withLogAndKeys } from './log-ports.js';

/** Long enough to come in and issue oneself another one; a terminal that kept it is no lasting way in. */
const LIFETIME_MS = 86_400_000;

const SENTENCES: Record<MakeAdministratorRejection['code'], string> = {
  service_account: 'is a service account, and only a person can be an administrator. Name another one.',
  too_many_tokens: 'has as many tokens as somebody can have. Name another person.',
  // Neither can be of a token that was made just now, for somebody who is put with it where they are new.
  principal_not_found: 'is not known.',
  already_issued: 'has this token already.',
  expiry_in_the_past: 'would get a token that has expired. Put the clock right.',
};

export const ADMINISTRATOR: Command = {
  name: 'administrator',
  usage: 'administrator PRINCIPAL_ID',
  summary: 'lets somebody in as an administrator when nobody else can, with a token for a day',
  help: `Makes somebody an administrator and prints a token for them, once: a person who is new, disabled or no administrator, and
also one who is and has lost their token. It signs in to the inbox too, for 24 hours; whoever comes in with it issues
a lasting one. Services may be running, and know it at once. The audit says that the operator did it.`,
  arguments: [1, 1],
  run: makeAdministrator,
};

async function makeAdministrator({ data, args }: CommandContext): Promise<CommandOutcome> {
  const [principalId] = args as [string];
  if (!isRecordId(principalId)) throw new UsageMistake('PRINCIPAL_ID has 1 to 64 letters, digits, "_" and "-".');
  data.assertReady('log', 'keys');
  return await withLogAndKeys(data, async ({ store, keys }) => {
    const clock = new SystemClock();
    const entropy = new SystemEntropy();
    const streams = new Streams(store, new EventCodec(EVENT_CATALOGUE), keys, clock, entropy);
    const { token, tokenId, hash } = makeToken(entropy, principalId);
    const expiresAt = timestamp(clock.now() + LIFETIME_MS);
    const made = await streams.execute(
      recordStream(PRINCIPAL, principalId),
      PRINCIPAL.fold,
      { actor: { kind: 'system', id: 'operator' }, correlationId: randomUUID() },
      async () => ({ nowMs: clock.now() }),
      (state, facts) => decideMakeAdministrator(state, { tokenId, name: 'operator', hash, expiresAt }, facts),
    );
    if (made.outcome === 'rejected') throw new CannotRun(`"${principalId}" ${SENTENCES[made.rejection.code]}`);
    return {
      faulty: false,
      report: { principalId, changed: made.reply.changed, token, expiresAt },
      lines: [
        `"${principalId}" ${made.reply.changed ? 'is an administrator now' : 'was an administrator already'}. Their token until ${expiresAt}, told this once:`,
        token,
      ],
    };
  });
}
