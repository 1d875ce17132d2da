import { Query } from '@nestjs/cqrs';
import type { Principal } from '../../governance/principal.js';
import type { Page, PageRequest } from './page.js';
import type { InboxItem } from './run-views.js';

export type { InboxItem } from './run-views.js';

/** The waiting runs that a principal may read, longest waiting first. Fails with `PageRequestInvalid`. */
export class ListInbox extends Query<Page<InboxItem>> {
  constructor(
    readonly principal: Principal,
    readonly request: PageRequest = {},
  ) {
    super();
  }
}
