import { Command } from '@nestjs/cqrs';
import type { Principal } from '../governance/principal.js';
import type { ResolveRejection, Verdict } from '../run/decisions/resolve-call.js';
import type { RunCommandResult } from './run-command-result.js';

/** Tells a run that waits for it what became of its unfinished write. For administrators. */
export class ResolveCall extends Command<RunCommandResult<object, ResolveRejection>> {
  constructor(
    readonly principal: Principal,
    readonly runId: string,
    readonly callId: string,
    readonly finding: Verdict,
    readonly note: string,
    readonly correlationId: string,
  ) {
    super();
  }
}
