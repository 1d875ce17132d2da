import { GOVERNANCE_EVENTS } from '../../events/governance-event-schemas.js';
import type { AnswerRefused } from '../../events/refusal-events.js';
import type { RunEventType } from '../../events/run-events.js';

/** What people did to runs, and what became of it; the steps of a run are in its timeline. */
const OF_RUNS = [
  'InputSubmitted',
  'ApprovalDecided',
  'CallResolved',
  'RunReleased',
  'RunCancelled',
  'RunContentErased',
  'AnswerRefused',
] as const satisfies readonly (RunEventType | AnswerRefused)['type'][];

/** Events of runs that the audit remembers something of without telling them. */
const BESIDES = [
  'ModelResponded',
  'RunSuspendedForInput',
  'RunSuspendedForApproval',
  'RunCompleted',
  'RunFailed',
] as const satisfies readonly RunEventType['type'][];

export type RunAuditKind = (typeof OF_RUNS)[number];

/** Names of the events that are told, each a kind of entry. Every change of governance is one, of whatever record. */
export const AUDIT_KINDS: readonly string[] = [...OF_RUNS, ...Object.keys(GOVERNANCE_EVENTS)];

/** Everything that the audit reads. */
export const AUDITED_TYPES: ReadonlySet<string> = new Set([...AUDIT_KINDS, ...BESIDES]);

export const AUDITED_PREFIXES: readonly string[] = [
  'run-',
  'refusal-',
  'configuration-',
  'principal-',
  'tool-',
  'snippet-',
  'skill-',
  'policy-',
];
