import type { Provider, Type } from '@nestjs/common';
import { RecordLists } from '../../http/governance/record-lists.js';
import { AdminGuard } from './admin.guard.js';
import { AuditPagesController } from './audit/audit.controller.js';
import { ConfigurationPagesController } from './configurations/configurations.controller.js';
import { ConfigurationEditor } from './editing/configuration-editor.js';
import { Editors } from './editing/editors.js';
import { EditsController } from './editing/edits.controller.js';
import { PrincipalEditor } from './editing/principal-editor.js';
import { ToolEditor } from './editing/tool-editor.js';
import { AdminOverviewController } from './overview.controller.js';
import { PolicyPagesController } from './policy/policy.controller.js';
import { PrincipalReader } from './principals/principal-reader.js';
import { PrincipalPagesController } from './principals/principals.controller.js';
import { TokenPagesController } from './principals/tokens.controller.js';
import { SourcePagesController } from './sources/sources.controller.js';
import { ToolPagesController } from './tools/tools.controller.js';

/** The pages for administrators, as a part of the inbox. */
export const ADMIN_CONTROLLERS: Type[] = [
  AdminOverviewController,
  ConfigurationPagesController,
  SourcePagesController,
  PrincipalPagesController,
  TokenPagesController,
  ToolPagesController,
  PolicyPagesController,
  AuditPagesController,
  EditsController,
];

export const ADMIN_PROVIDERS: Provider[] = [
  AdminGuard,
  ConfigurationEditor,
  PrincipalEditor,
  ToolEditor,
  Editors,
  PrincipalReader,
  RecordLists,
];
