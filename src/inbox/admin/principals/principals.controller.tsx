import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RecordLists } from '../../../http/governance/record-lists.js';
import { Problem } from '../../../http/problems/problem.js';
import { postedFields } from '../../pages/posted-fields.js';
import { queryOf, Visits } from '../../pages/visits.js';
import { Notice } from '../../parts/notice.js';
import { PagesForAdmins } from '../admin.decorators.js';
import { PrincipalEditor } from '../editing/principal-editor.js';
import { cursorOf } from '../list-parts.js';
import { doneOf } from '../section.js';
import { postedVersion, unchangedSince } from '../version.js';
import { PrincipalReader } from './principal-reader.js';
import { PrincipalsPage } from './principals-page.js';

@PagesForAdmins()
@Controller('inbox/admin/principals')
export class PrincipalPagesController {
  constructor(
    private readonly visits: Visits,
    private readonly lists: RecordLists,
    private readonly principals: PrincipalReader,
    private readonly editor: PrincipalEditor,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = queryOf(request);
    const cursor = cursorOf(query);
    const page = await this.lists.principals(cursor);
    const shown = { page, isFirst: cursor.cursor === undefined, done: doneOf(query) };
    this.visits.show(reply, <PrincipalsPage visit={this.visits.of(request)} {...shown} />);
  }

  @Get(':id')
  async show(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.visits.show(reply, await this.principals.page(request, id, { done: doneOf(queryOf(request)) }));
  }

  /** The same document with one member changed: whoever saw another version is told. */
  @Post(':id/enabled')
  async enable(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const fields = postedFields(request);
    const wanted = fields.get('enabled');
    // Only a button says which; a form that came without one decides nothing.
    if (wanted !== 'true' && wanted !== 'false') throw new Problem('invalid-request', { errors: [] });
    const record = await this.editor.read(id);
    if (record === null) throw new Problem('principal-not-found');
    const caller = this.visits.callerOf(request);
    const body = { ...record.body, enabled: wanted === 'true' };
    const precondition = unchangedSince(postedVersion(fields), id);
    try {
      await this.editor.put({ caller, id, body, precondition, correlationId: request.id });
    } catch (error) {
      const notice = this.refusal(request, error);
      this.visits.show(reply, await this.principals.page(request, id, { notice }), 409);
      return;
    }
    await this.visits.goTo(reply, `/admin/principals/${id}?done=${wanted === 'true' ? 'enabled' : 'disabled'}`);
  }

  private refusal(request: FastifyRequest, error: unknown) {
    const { conflict, refused } = this.visits.of(request).t.admin;
    const code = error instanceof Problem ? error.code : null;
    if (code === 'self-lockout') return <Refused title={refused.selfLockout} text={refused.selfLockoutText} />;
    if (code === 'precondition-failed') return <Refused title={conflict.title} text={conflict.enabling} />;
    throw error;
  }
}

function Refused({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <Notice tone="bad" title={title} focus={true}>
      <p>{text}</p>
    </Notice>
  );
}
