import type { RunStatus } from '../run/run-state.js';

/** What a command on a run comes to: an expected "no" is a value, never an exception. */
export type RunCommandResult<Reply extends object, Rejection> =
  | ({
      readonly outcome: 'accepted' | 'nothing_to_do';
      readonly runId: string;
      readonly status: RunStatus;
      /** Revision of the run's last event. */
      readonly revision: number;
      /** A projection that has got this far knows what the command wrote. */
      readonly position: bigint;
    } & Reply)
  | { readonly outcome: 'rejected'; readonly rejection: Rejection };
