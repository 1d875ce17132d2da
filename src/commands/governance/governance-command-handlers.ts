import { DeleteConfigurationHandler } from './delete-configuration.handler.js';
import { DeleteSourceHandler } from './delete-source.handler.js';
import { IssueTokenHandler } from './issue-token.handler.js';
import { PutConfigurationHandler } from './put-configuration.handler.js';
import { PutEnforcementHandler } from './put-enforcement.handler.js';
import { PutPrincipalHandler } from './put-principal.handler.js';
import { PutSourceHandler } from './put-source.handler.js';
import { RevokeTokenHandler } from './revoke-token.handler.js';
import { SwitchToolHandler } from './switch-tool.handler.js';

export const GOVERNANCE_COMMAND_HANDLERS = [
  PutConfigurationHandler,
  DeleteConfigurationHandler,
  PutPrincipalHandler,
  IssueTokenHandler,
  RevokeTokenHandler,
  SwitchToolHandler,
  PutSourceHandler,
  DeleteSourceHandler,
  PutEnforcementHandler,
];
