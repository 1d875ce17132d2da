import type { Decision } from '../../events/decider.js';
import type { DataClassEnforcementPut } from '../../events/governance-events.js';
import type { Enforcement } from '../ceiling.js';
import { decidePut, type Precondition, type PreconditionFailed, type PutReply } from '../documents.js';
import type { EnforcementState } from '../enforcement-record.js';

export interface PutEnforcement {
  readonly mode: Enforcement;
  readonly precondition: Precondition;
}

export type PutEnforcementRejection = PreconditionFailed;

export function decidePutEnforcement(
  { document }: EnforcementState,
  { mode, precondition }: PutEnforcement,
): Decision<DataClassEnforcementPut, PutReply, PutEnforcementRejection> {
  return decidePut<DataClassEnforcementPut>(
    document,
    { type: 'DataClassEnforcementPut', data: { mode } },
    true,
    precondition,
  );
}
