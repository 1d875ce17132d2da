import { Command } from '@nestjs/cqrs';
import type { Actor } from '../events/event.js';
import type { EraseRejection, ErasureScope } from '../run/decisions/erase-content.js';
import type { RunCommandResult } from './run-command-result.js';

/** Has content of a settled run erased; erasing it again changes nothing. */
export class EraseContent extends Command<RunCommandResult<object, EraseRejection>> {
  constructor(
    readonly actor: Actor,
    readonly runId: string,
    readonly scopes: readonly ErasureScope[],
    readonly reason: 'settled' | 'age' | 'request',
    readonly correlationId: string,
  ) {
    super();
  }
}
