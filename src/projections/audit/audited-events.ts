import { GOVERNANCE_EVENTS } from '../../events/governance-event-schemas.js';
import {
  CONFIGURATION_STREAM_PREFIX,
  POLICY_STREAM_PREFIX,
  PRINCIPAL_STREAM_PREFIX,
  SKILL_STREAM_PREFIX,
  SNIPPET_STREAM_PREFIX,
  TOOL_STREAM_PREFIX,
} from '../../events/governance-events.js';
import { type AnswerRefused, REFUSAL_STREAM_PREFIX } from '../../events/refusal-events.js';
import { RUN_STREAM_PREFIX, type RunEventType } from '../../events/run-events.js';

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
  RUN_STREAM_PREFIX,
  REFUSAL_STREAM_PREFIX,
  CONFIGURATION_STREAM_PREFIX,
  PRINCIPAL_STREAM_PREFIX,
  TOOL_STREAM_PREFIX,
  SNIPPET_STREAM_PREFIX,
  SKILL_STREAM_PREFIX,
  POLICY_STREAM_PREFIX,
];
