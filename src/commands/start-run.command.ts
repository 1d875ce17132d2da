import { Command } from '@nestjs/cqrs';
import type { RunMessage, RunOptions } from '../events/run-events.js';
import type { Principal } from '../governance/principal.js';
import type { StartRejection } from '../run/decisions/start-run.js';
import type { RunCommandResult } from './run-command-result.js';

export interface StartRunRequest {
  readonly configurationId: string;
  readonly messages: readonly RunMessage[];
  /** Null: all tools that the configuration allows; empty: none (LIF-2). */
  readonly allowedTools: readonly string[] | null;
  /** Null: the default of 5. Above 20 it is clamped. */
  readonly maxIterations: number | null;
  readonly forcedSnippetIds: readonly string[];
  readonly forcedSkillIds: readonly string[];
  readonly options: RunOptions;
}

/** Starts a run on behalf of a principal, who becomes its owner. */
export class StartRun extends Command<RunCommandResult<object, StartRejection>> {
  constructor(
    readonly principal: Principal,
    readonly request: StartRunRequest,
    /** From the client; with it a repeat returns the same run. Null: a run of its own each time. */
    readonly idempotencyKey: string | null,
    readonly correlationId: string,
  ) {
    super();
  }
}
