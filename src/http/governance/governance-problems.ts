import type { DeleteConfigurationRejection } from '../../governance/decisions/delete-configuration.js';
import type { DeleteSourceRejection } from '../../governance/decisions/delete-source.js';
import type { IssueTokenRejection } from '../../governance/decisions/issue-token.js';
import type { PutConfigurationRejection } from '../../governance/decisions/put-configuration.js';
import type { PutEnforcementRejection } from '../../governance/decisions/put-enforcement.js';
import type { PutPrincipalRejection } from '../../governance/decisions/put-principal.js';
import type { PutSourceRejection } from '../../governance/decisions/put-source.js';
import type { RevokeTokenRejection } from '../../governance/decisions/revoke-token.js';
import type { SwitchToolRejection } from '../../governance/decisions/switch-tool.js';
import { invalidRequest, Problem } from '../problems/problem.js';
import type { ProblemsOf } from '../problems/rejections.js';

export const PUT_CONFIGURATION_PROBLEMS: ProblemsOf<PutConfigurationRejection> = {
  precondition_failed: () => new Problem('precondition-failed'),
};

export const DELETE_CONFIGURATION_PROBLEMS: ProblemsOf<DeleteConfigurationRejection> = {
  precondition_failed: () => new Problem('precondition-failed'),
  never_existed: () => new Problem('configuration-not-found'),
};

export const PUT_SOURCE_PROBLEMS: ProblemsOf<PutSourceRejection> = {
  precondition_failed: () => new Problem('precondition-failed'),
};

export const DELETE_SOURCE_PROBLEMS: ProblemsOf<DeleteSourceRejection> = {
  precondition_failed: () => new Problem('precondition-failed'),
  never_existed: () => new Problem('source-not-found'),
};

export const PUT_ENFORCEMENT_PROBLEMS: ProblemsOf<PutEnforcementRejection> = {
  precondition_failed: () => new Problem('precondition-failed'),
};

export const SWITCH_TOOL_PROBLEMS: ProblemsOf<SwitchToolRejection> = {
  precondition_failed: () => new Problem('precondition-failed'),
  tool_not_found: () => new Problem('tool-not-found'),
  asks_for_input: () =>
    invalidRequest([{ pointer: '/approval', message: 'cannot be true for a tool that asks for input' }]),
  approval_is_declared: () =>
    invalidRequest([{ pointer: '/approval', message: 'cannot be false for a tool that declares approval or a write' }]),
};

export const PUT_PRINCIPAL_PROBLEMS: ProblemsOf<PutPrincipalRejection> = {
  precondition_failed: () => new Problem('precondition-failed'),
  self_lockout: () => new Problem('self-lockout'),
  not_administrator: () => new Problem('forbidden'),
  subject_taken: () => new Problem('subject-taken'),
};

export const ISSUE_TOKEN_PROBLEMS: ProblemsOf<IssueTokenRejection> = {
  // Calls have their ids made up here, at random.
  already_issued: () => new Problem('internal'),
  principal_not_found: () => new Problem('principal-not-found'),
  expiry_in_the_past: () => invalidRequest([{ pointer: '/expiresAt', message: 'must be in the future' }]),
  too_many_tokens: () => new Problem('too-many-tokens'),
};

export const REVOKE_TOKEN_PROBLEMS: ProblemsOf<RevokeTokenRejection> = {
  principal_not_found: () => new Problem('principal-not-found'),
  token_not_found: () => new Problem('token-not-found'),
  self_lockout: () => new Problem('self-lockout'),
};
