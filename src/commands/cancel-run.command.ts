import { Command } from '@nestjs/cqrs';
import type { Principal } from '../governance/principal.js';
import type { CancelRejection } from '../run/decisions/cancel-run.js';
import type { RunCommandResult } from './run-command-result.js';

export class CancelRun extends Command<RunCommandResult<object, CancelRejection>> {
  constructor(
    readonly principal: Principal,
    readonly runId: string,
    readonly correlationId: string,
  ) {
    super();
  }
}
