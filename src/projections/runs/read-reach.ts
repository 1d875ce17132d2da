import { reaches } from '../../governance/access.js';
import type { Principal } from '../../governance/principal.js';

/** Which runs a principal may read, as far as a query can tell them apart (SUB-1). */
export interface ReadReach {
  readonly all: boolean;
  /** Those that wait for a person, whosever they are. */
  readonly waiting: boolean;
  readonly own: boolean;
}

/** Asks the one rule about each sort of run, rather than say it a second time. */
export function readReach(principal: Principal): ReadReach {
  const somebodyElse = `not ${principal.id}`;
  const mayRead = (ownerId: string, waiting: boolean) => reaches(principal, 'read', { ownerId, waiting });
  return {
    all: mayRead(somebodyElse, false),
    waiting: mayRead(somebodyElse, true),
    own: mayRead(principal.id, false),
  };
}
