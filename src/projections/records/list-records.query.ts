import { Query } from '@nestjs/cqrs';
import type { ConfigurationPut, PrincipalPut, SkillPut, SnippetPut } from '../../events/governance-events.js';
import type { Page, PageRequest } from '../runs/page.js';
import type { ListedKind, RecordsFilter } from './records-list-query.js';

interface Documents {
  readonly configuration: ConfigurationPut['data'];
  readonly principal: PrincipalPut['data'];
  readonly snippet: SnippetPut['data'];
  readonly skill: SkillPut['data'];
}

/** What of a record decides; its content is opened by whoever looks the record itself up. */
export type ListedRecord<Kind extends ListedKind> = Documents[Kind] & {
  readonly id: string;
  /** When this document was put, RFC 3339 UTC. */
  readonly updatedAt: string;
};

/**
 * Governance records of one kind, by id; knows of everything that was acknowledged before it is asked. For
 * administrators. Fails with `PageRequestInvalid` for a bad cursor or limit.
 */
export class ListRecords<Kind extends ListedKind> extends Query<Page<ListedRecord<Kind>>> {
  constructor(
    readonly kind: Kind,
    readonly request: RecordsFilter & PageRequest = {},
  ) {
    super();
  }
}
