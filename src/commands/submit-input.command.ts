import { Command } from '@nestjs/cqrs';
import type { Principal } from '../governance/principal.js';
import type { PostedValues, SubmitRejection } from '../run/decisions/submit-input.js';
import type { RunCommandResult } from './run-command-result.js';

/** A person's answer to an input pause, as it was posted. */
export class SubmitInput extends Command<
  RunCommandResult<
    { readonly submission: 'accepted' | 'replayed'; readonly ignoredKeys: readonly string[] },
    SubmitRejection
  >
> {
  constructor(
    readonly principal: Principal,
    readonly runId: string,
    /** Whatever the client sent: the rule judges it (TRN-3). */
    readonly turnDigest: unknown,
    readonly values: PostedValues,
    readonly correlationId: string,
  ) {
    super();
  }
}
