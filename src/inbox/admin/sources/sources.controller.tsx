import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DeleteSource } from '../../../commands/governance/delete-source.command.js';
import { type SourceKind, type SourceRef, sourceName } from '../../../governance/source-record.js';
import { type Source, Sources } from '../../../governance/sources.js';
import { actorOf } from '../../../http/governance/actor-of.js';
import { DELETE_SOURCE_PROBLEMS } from '../../../http/governance/governance-problems.js';
import { RecordLists } from '../../../http/governance/record-lists.js';
import { Problem } from '../../../http/problems/problem.js';
import { acceptedOrProblem } from '../../../http/problems/rejections.js';
import { postedFields } from '../../pages/posted-fields.js';
import { queryOf, Visits } from '../../pages/visits.js';
import { PagesForAdmins } from '../admin.decorators.js';
import { DeletePage } from '../delete-page.js';
import { cursorOf } from '../list-parts.js';
import { doneOf } from '../section.js';
import { postedVersion, unchangedSince } from '../version.js';
import { SourcePage, Uses } from './source-page.js';
import { SourcesPage } from './sources-page.js';

/** Snippets and skills, which differ in nothing but their address. */
@PagesForAdmins()
@Controller(['inbox/admin/snippets', 'inbox/admin/skills'])
export class SourcePagesController {
  constructor(
    private readonly visits: Visits,
    private readonly lists: RecordLists,
    private readonly sources: Sources,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { section, kind } = placeOf(request);
    const query = queryOf(request);
    const cursor = cursorOf(query);
    const page = await this.lists.sources(kind, cursor);
    const shown = { section, page, isFirst: cursor.cursor === undefined, done: doneOf(query) };
    this.visits.show(reply, <SourcesPage visit={this.visits.of(request)} {...shown} />);
  }

  @Get(':id')
  async show(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { section, kind } = placeOf(request);
    const [source, opened, uses] = await Promise.all([
      this.read({ kind, id }),
      this.sources.open({ kind, id }),
      this.lists.configurations({ source: sourceName({ kind, id }) }),
    ]);
    const shown = { section, id, source, opened, uses, done: doneOf(queryOf(request)) };
    this.visits.show(reply, <SourcePage visit={this.visits.of(request)} {...shown} />);
  }

  @Get(':id/delete')
  async askDelete(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.showDelete(id, request, reply, false);
  }

  @Post(':id/delete')
  async delete(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { section, kind } = placeOf(request);
    const precondition = unchangedSince(postedVersion(postedFields(request)), id);
    const actor = actorOf(this.visits.callerOf(request));
    try {
      const deletion = new DeleteSource(actor, { kind, id }, precondition, request.id);
      acceptedOrProblem(DELETE_SOURCE_PROBLEMS, await this.commands.execute(deletion));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'precondition-failed') throw error;
      await this.showDelete(id, request, reply, true);
      return;
    }
    await this.visits.goTo(reply, `/admin/${section}?done=deleted`);
  }

  private async showDelete(id: string, request: FastifyRequest, reply: FastifyReply, isStale: boolean): Promise<void> {
    const { section, kind } = placeOf(request);
    const [{ revision }, uses] = await Promise.all([
      this.read({ kind, id }),
      this.lists.configurations({ source: sourceName({ kind, id }) }),
    ]);
    const visit = this.visits.of(request);
    const words = visit.t.admin.source;
    const texts = { title: words.deleteTitle[section](id), text: words.deleteText, isStale };
    const page = (
      <DeletePage visit={visit} section={section} id={id} version={{ of: id, revision }} {...texts}>
        <Uses visit={visit} uses={uses} />
      </DeletePage>
    );
    this.visits.show(reply, page, isStale ? 409 : 200);
  }

  /** @throws {Problem} `source-not-found` */
  private async read(ref: SourceRef): Promise<Source> {
    const [source] = await this.sources.named([sourceName(ref)]);
    if (source === undefined) throw new Problem('source-not-found');
    return source;
  }
}

interface Place {
  readonly section: 'snippets' | 'skills';
  readonly kind: SourceKind;
}

function placeOf({ url }: FastifyRequest): Place {
  return url.startsWith('/inbox/admin/skills')
    ? { section: 'skills', kind: 'skill' }
    : { section: 'snippets', kind: 'snippet' };
}
