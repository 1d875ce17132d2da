import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DeleteConfiguration } from '../../../commands/governance/delete-configuration.command.js';
import { ConfigurationPolicies } from '../../../governance/configuration-policies.js';
import { Configurations } from '../../../governance/configurations.js';
import { actorOf } from '../../../http/governance/actor-of.js';
import { DELETE_CONFIGURATION_PROBLEMS } from '../../../http/governance/governance-problems.js';
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
import { ConfigurationPage } from './configuration-page.js';
import { ConfigurationsPage } from './configurations-page.js';

@PagesForAdmins()
@Controller('inbox/admin/configurations')
export class ConfigurationPagesController {
  constructor(
    private readonly visits: Visits,
    private readonly lists: RecordLists,
    private readonly configurations: Configurations,
    private readonly policies: ConfigurationPolicies,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = queryOf(request);
    const cursor = cursorOf(query);
    const page = await this.lists.configurations(cursor);
    const shown = { page, isFirst: cursor.cursor === undefined, done: doneOf(query) };
    this.visits.show(reply, <ConfigurationsPage visit={this.visits.of(request)} {...shown} />);
  }

  @Get(':id')
  async show(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [configuration, opened, policy] = await Promise.all([
      this.configurations.read(id),
      this.configurations.open(id),
      this.policies.read(id, null),
    ]);
    if (configuration === null || policy === null) throw new Problem('configuration-not-found');
    const shown = { configuration, opened, policy, done: doneOf(queryOf(request)) };
    this.visits.show(reply, <ConfigurationPage visit={this.visits.of(request)} {...shown} />);
  }

  @Get(':id/delete')
  async askDelete(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.showDelete(id, request, reply, false);
  }

  @Post(':id/delete')
  async delete(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const precondition = unchangedSince(postedVersion(postedFields(request)), id);
    const actor = actorOf(this.visits.callerOf(request));
    try {
      const deletion = new DeleteConfiguration(actor, id, precondition, request.id);
      acceptedOrProblem(DELETE_CONFIGURATION_PROBLEMS, await this.commands.execute(deletion));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'precondition-failed') throw error;
      await this.showDelete(id, request, reply, true);
      return;
    }
    await this.visits.goTo(reply, '/admin/configurations?done=deleted');
  }

  private async showDelete(id: string, request: FastifyRequest, reply: FastifyReply, isStale: boolean): Promise<void> {
    const configuration = await this.configurations.read(id);
    if (configuration === null) throw new Problem('configuration-not-found');
    const visit = this.visits.of(request);
    const words = visit.t.admin.configuration;
    this.visits.show(
      reply,
      <DeletePage
        visit={visit}
        section="configurations"
        id={id}
        version={{ of: id, revision: configuration.revision }}
        title={words.deleteTitle(id)}
        text={words.deleteText}
        isStale={isStale}
      />,
      isStale ? 409 : 200,
    );
  }
}
