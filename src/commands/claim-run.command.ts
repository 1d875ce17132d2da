import { Command } from '@nestjs/cqrs';
import type { Loaded } from '../event-store/loaded.js';
import type { RunEventType } from '../events/run-events.js';
import type { ClaimReply } from '../run/decisions/claim-run.js';
import type { RunState } from '../run/run-state.js';

export type ClaimResult =
  | { readonly reply: 'claimed'; readonly run: Loaded<RunState, RunEventType> }
  | { readonly reply: Exclude<ClaimReply, 'claimed'> };

/** Asks for the right to execute one segment of a run. */
export class ClaimRun extends Command<ClaimResult> {
  constructor(readonly runId: string) {
    super();
  }
}
