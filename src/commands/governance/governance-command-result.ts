import type { Executed } from '../../event-store/loaded.js';
import type { AnyEventType } from '../../events/event.js';
import type { PutReply } from '../../governance/documents.js';

/** What a command on a governance record comes to. */
export type GovernanceCommandResult<Reply extends object, Rejection> =
  | ({ readonly outcome: 'accepted' | 'nothing_to_do' } & Reply)
  | { readonly outcome: 'rejected'; readonly rejection: Rejection };

export function governanceResult<State, Reply extends object, Rejection>(
  executed: Executed<AnyEventType, State, Reply, Rejection>,
): GovernanceCommandResult<Reply, Rejection> {
  return executed.outcome === 'rejected'
    ? { outcome: 'rejected', rejection: executed.rejection }
    : { ...executed.reply, outcome: executed.outcome };
}

/** The same for a document that was put, with the revision by which its next editor names it. */
export function putResult<State extends { readonly document: { readonly revision: number } | null }, Rejection>(
  executed: Executed<AnyEventType, State, PutReply, Rejection>,
): GovernanceCommandResult<PutReply & { readonly revision: number }, Rejection> {
  if (executed.outcome === 'rejected') return governanceResult(executed);
  const { outcome, reply, state } = executed;
  if (state.document === null) throw new Error('a document that was put is there');
  return { ...reply, outcome, revision: state.document.revision };
}
