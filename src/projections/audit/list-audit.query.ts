import { Query } from '@nestjs/cqrs';
import type { Page, PageRequest } from '../runs/page.js';
import type { AuditEntry } from './audit-entry.js';
import type { AuditFilter } from './audit-list-query.js';

export { AUDIT_KINDS } from './audited-events.js';
export type { AuditEntry };

/**
 * Who did, or tried to do, what, newest first; knows of everything that was acknowledged before it is asked. For
 * administrators. Fails with `PageRequestInvalid` for a bad cursor or limit.
 */
export class ListAudit extends Query<Page<AuditEntry>> {
  constructor(readonly request: AuditFilter & PageRequest = {}) {
    super();
  }
}
