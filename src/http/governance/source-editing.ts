import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { DeleteSource } from '../../commands/governance/delete-source.command.js';
import { PutSource } from '../../commands/governance/put-source.command.js';
import type { Principal } from '../../governance/principal.js';
import type { SourceRef } from '../../governance/source-record.js';
import { Sources } from '../../governance/sources.js';
import { entityTag, precondition } from '../headers/precondition.js';
import { Problem } from '../problems/problem.js';
import { acceptedOrProblem } from '../problems/rejections.js';
import { actorOf } from './actor-of.js';
import { DELETE_SOURCE_PROBLEMS, PUT_SOURCE_PROBLEMS } from './governance-problems.js';
import { type SourceBody, sourceBody, sourceDocument } from './source.body.js';

/** Who asks, and what they want to be true before anything changes. */
export interface SourceEdit {
  readonly source: SourceRef;
  readonly caller: Principal;
  readonly correlationId: string;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** What the calls for snippets and those for skills have in common: everything but their address. */
@Injectable()
export class SourceEditing {
  constructor(
    private readonly commands: CommandBus,
    private readonly sources: Sources,
  ) {}

  async put(
    { source, caller, correlationId, ifMatch, ifNoneMatch }: SourceEdit,
    body: SourceBody,
    reply: FastifyReply,
  ): Promise<object> {
    const document = sourceDocument(body);
    const expected = precondition(ifMatch, ifNoneMatch);
    const put = new PutSource(actorOf(caller), source, document, expected, correlationId);
    const { change, revision } = acceptedOrProblem(PUT_SOURCE_PROBLEMS, await this.commands.execute(put));
    reply.status(change === 'created' ? 201 : 200).header('ETag', entityTag(revision));
    return sourceBody(document);
  }

  async get(source: SourceRef, reply: FastifyReply): Promise<object> {
    const found = await this.sources.open(source);
    if (found === null) throw new Problem('source-not-found');
    reply.header('ETag', entityTag(found.revision));
    return sourceBody(found);
  }

  async delete({ source, caller, correlationId, ifMatch }: SourceEdit): Promise<void> {
    const deletion = new DeleteSource(actorOf(caller), source, precondition(ifMatch, undefined), correlationId);
    acceptedOrProblem(DELETE_SOURCE_PROBLEMS, await this.commands.execute(deletion));
  }
}
