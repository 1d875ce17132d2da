import type { CommandResult } from '@nestjs/cqrs';
import type { SubmitInput } from '../../commands/submit-input.command.js';
import type { JsonObject } from '../../events/json.js';

type StaleTurn = Extract<
  Extract<CommandResult<SubmitInput>, { readonly outcome: 'rejected' }>['rejection'],
  { readonly code: 'stale_turn' }
>;

/** The pause that a run has now as every reader of the run sees it, so that a client can fetch the new form: clear fields alone. */
export function pauseSummary({ kind, turnDigest, since, requests, released }: StaleTurn['pause']): JsonObject {
  return {
    kind,
    turnDigest,
    since,
    requests: requests.map(({ callId, toolName }) => ({ callId, toolName })),
    ...(released === null ? {} : { released: { ...released } }),
  };
}
