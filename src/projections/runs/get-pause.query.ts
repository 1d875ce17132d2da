import { Query } from '@nestjs/cqrs';
import type { JsonObject } from '../../events/json.js';
import type { ToolEffect } from '../../events/run-events.js';
import type { Principal } from '../../governance/principal.js';
import type { PauseCorruption } from '../../run-content/open-pause.js';

/** The whole of what a person is asked: every call of the turn with its full arguments (INP-12). */
export interface PauseView {
  readonly kind: 'input' | 'approval' | 'resolution';
  /** To be named by the answer (TRN-3); null for a resolution, which names a call. */
  readonly turnDigest: string | null;
  readonly since: string;
  readonly requests: readonly RequestView[];
  /** Calls of the same turn about which nothing is asked. */
  readonly otherCalls: readonly CallView[];
  /**
   * Tools of this turn that are not registered any more: until they are there again nobody can release the turn, only
   * deny or cancel it. Absent where none is missing.
   */
  readonly missingTools?: readonly string[];
}

export interface CallView {
  readonly callId: string;
  /** As the model wrote it. */
  readonly toolName: string;
  /** An object, or the model's text where that is none. For a resolution: as executed. */
  readonly arguments: JsonObject | string;
}

export interface RequestView extends CallView {
  /** For input. */
  readonly inputSchema?: JsonObject;
  /** For approval and resolution. */
  readonly effect?: ToolEffect;
  /** For approval, where the tool describes its calls: lines of plain text (APP-4). */
  readonly preview?: readonly string[];
}

export type PauseFound =
  | { readonly outcome: 'found'; readonly pause: PauseView }
  /** The run does not wait. */
  | { readonly outcome: 'no_pause' }
  /** The pause cannot be read, so nobody may be shown it or answer it (INP-5). */
  | { readonly outcome: 'corrupt'; readonly errorClass: PauseCorruption };

/**
 * What a run waits for, for whoever may answer it; null for a run that does not exist or is not for this principal.
 * Read from the run itself: what is shown is what is answered.
 */
export class GetPause extends Query<PauseFound | null> {
  constructor(
    readonly principal: Principal,
    readonly runId: string,
  ) {
    super();
  }
}
