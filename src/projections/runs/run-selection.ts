import type { Principal } from '../../governance/principal.js';
import type { RunStatus } from '../../run/run-state.js';
import { readReach } from './read-reach.js';

/** What a list is to hold; what is absent is not asked for. */
export interface RunFilter {
  readonly status?: RunStatus;
  readonly ownerId?: string;
  readonly configurationId?: string;
}

const WAITING: readonly RunStatus[] = ['waiting_for_approval', 'waiting_for_input', 'waiting_for_resolution'];
const NOT_WAITING: readonly RunStatus[] = ['queued', 'running', 'completed', 'failed', 'cancelled'];

/**
 * The runs that a principal may read among those a filter asks for, as a union of disjoint filters, each of which one
 * index answers in order: nothing that they may not see is ever looked at. Empty: none.
 */
export function selectionFor(principal: Principal, filter: RunFilter): readonly RunFilter[] {
  const { all, waiting, own } = readReach(principal);
  if (all) return [filter];
  const mine = ownOf(principal, filter, own);
  if (!waiting || (own && filter.ownerId === principal.id)) return mine;
  const asked = (statuses: readonly RunStatus[]) =>
    statuses.filter((status) => filter.status === undefined || filter.status === status);
  return [
    ...asked(WAITING).map((status) => ({ ...filter, status })),
    ...mine.flatMap((part) => asked(NOT_WAITING).map((status) => ({ ...part, status }))),
  ];
}

function ownOf({ id }: Principal, filter: RunFilter, own: boolean): readonly RunFilter[] {
  if (!own || (filter.ownerId !== undefined && filter.ownerId !== id)) return [];
  return [{ ...filter, ownerId: id }];
}
