import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { SourceKind } from '../../governance/source-record.js';
import { Sources } from '../../governance/sources.js';
import { TokenUse } from '../../governance/token-use.js';
import { type ListedRecord, ListRecords } from '../../projections/records/list-records.query.js';
import { pageOrProblem } from '../problems/page-problem.js';

/** A part of a list, and where the next one begins; null at its end. */
export interface ListPart<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

export type ListRequest = ListRecords<'configuration'>['request'];

export type ListedConfiguration = ListedRecord<'configuration'>;

export interface ListedSource extends ListedRecord<'snippet'> {
  /** Null where it was erased. */
  readonly name: string | null;
}

export interface ListedPrincipal extends ListedRecord<'principal'> {
  /** When any of its tokens was last used, to about a minute; null: never, as far as is known. */
  readonly tokensLastUsedAt: string | null;
}

/** The lists of governance records, by id, as the interface and the pages show them. */
@Injectable()
export class RecordLists {
  constructor(
    private readonly queries: QueryBus,
    private readonly opened: Sources,
    private readonly use: TokenUse,
  ) {}

  /** @throws {Problem} `invalid-request` where cursor or limit are not of this list @throws {StoreUnavailable} */
  async configurations(request: ListRequest): Promise<ListPart<ListedConfiguration>> {
    return pageOrProblem(() => this.queries.execute(new ListRecords('configuration', request)));
  }

  /** Names are content: each is opened for this one answer. @throws as above */
  async sources(kind: SourceKind, request: ListRequest): Promise<ListPart<ListedSource>> {
    const page = await pageOrProblem(() => this.queries.execute(new ListRecords(kind, request)));
    const items = await Promise.all(
      page.items.map(async (item) => ({
        ...item,
        name: (await this.opened.open({ kind, id: item.id }))?.name ?? null,
      })),
    );
    return { ...page, items };
  }

  /** @throws as above */
  async principals(request: ListRequest): Promise<ListPart<ListedPrincipal>> {
    const page = await pageOrProblem(() => this.queries.execute(new ListRecords('principal', request)));
    return { ...page, items: page.items.map((item) => ({ ...item, tokensLastUsedAt: this.use.latest(item.id) })) };
  }
}
