import { Query } from '@nestjs/cqrs';
import type { Principal } from '../../governance/principal.js';
import type { Page, PageRequest } from './page.js';
import type { RunFilter } from './run-selection.js';
import type { RunView } from './run-views.js';

export { type Page, PageRequestInvalid } from './page.js';

/** The runs that a principal may read, newest first. Fails with `PageRequestInvalid` for a bad cursor or limit. */
export class ListRuns extends Query<Page<RunView>> {
  constructor(
    readonly principal: Principal,
    readonly request: RunFilter & PageRequest = {},
  ) {
    super();
  }
}
