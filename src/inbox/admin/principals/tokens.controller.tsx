import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IssueToken } from '../../../commands/governance/issue-token.command.js';
import { RevokeToken } from '../../../commands/governance/revoke-token.command.js';
import type { JsonObject } from '../../../events/json.js';
import { Principals } from '../../../governance/principals.js';
import { isRecordId } from '../../../governance/records.js';
import { TokenMint } from '../../../governance/token-mint.js';
import { bodyInForm } from '../../../http/body/read-form.js';
import { actorOf } from '../../../http/governance/actor-of.js';
import { ISSUE_TOKEN_PROBLEMS, REVOKE_TOKEN_PROBLEMS } from '../../../http/governance/governance-problems.js';
import { IssueTokenBody, tokenExpiry } from '../../../http/governance/token.body.js';
import { Problem } from '../../../http/problems/problem.js';
import { acceptedOrProblem } from '../../../http/problems/rejections.js';
import { type ForeignFault, placedFaults } from '../../form/form-faults.js';
import { buildForm } from '../../form/form-model.js';
import { postedDraft, postedFields } from '../../pages/posted-fields.js';
import { Visits } from '../../pages/visits.js';
import { Notice } from '../../parts/notice.js';
import { PagesForAdmins } from '../admin.decorators.js';
import { nameOfToken, tokenFields } from './principal-page.js';
import { PrincipalReader } from './principal-reader.js';
import { AlreadyIssuedPage, IssuedPage, RevokePage } from './token-pages.js';

@PagesForAdmins()
@Controller('inbox/admin/principals/:id/tokens')
export class TokenPagesController {
  constructor(
    private readonly visits: Visits,
    private readonly commands: CommandBus,
    private readonly records: Principals,
    private readonly mint: TokenMint,
    private readonly principals: PrincipalReader,
  ) {}

  /** Somebody comes back to the address of a page that showed a token: what is left to see is its principal. */
  @Get()
  async leave(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    if (!isRecordId(id)) throw new Problem('principal-not-found');
    await this.visits.goTo(reply, `/admin/principals/${id}`);
  }

  /** The form names the token that it asks for: sent again, it finds that one issued, and its text is told to nobody. */
  @Post()
  async issue(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const fields = postedFields(request);
    const tokenId = fields.get('token') ?? '';
    if (!isRecordId(id)) throw new Problem('principal-not-found');
    if (!isRecordId(tokenId)) throw new Problem('invalid-request', { errors: [] });
    const visit = this.visits.of(request);
    const form = buildForm(tokenFields(visit.t), postedDraft(fields));
    const token = this.mint.make(id, tokenId);
    let outcome: { readonly issued: boolean };
    try {
      outcome = await this.execute(request, id, token, bodyOf(form.answer));
    } catch (error) {
      await this.explain(request, reply, id, error, (found) => ({
        tokenId,
        root: form.root,
        faults: placedFaults(form, found),
      }));
      return;
    }
    if (outcome.issued) this.visits.show(reply, <IssuedPage visit={visit} principalId={id} token={token.token} />);
    else this.visits.show(reply, <AlreadyIssuedPage visit={visit} principalId={id} />, 409);
  }

  @Get(':tokenId/revoke')
  async askRevoke(
    @Param('id') id: string,
    @Param('tokenId') tokenId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.showRevoke(request, reply, id, tokenId, false);
  }

  @Post(':tokenId/revoke')
  async revoke(
    @Param('id') id: string,
    @Param('tokenId') tokenId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!isRecordId(id)) throw new Problem('principal-not-found');
    const revocation = new RevokeToken(actorOf(this.visits.callerOf(request)), id, tokenId, request.id);
    try {
      acceptedOrProblem(REVOKE_TOKEN_PROBLEMS, await this.commands.execute(revocation));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'self-lockout') throw error;
      await this.showRevoke(request, reply, id, tokenId, true);
      return;
    }
    await this.visits.goTo(reply, `/admin/principals/${id}?done=revoked`);
  }

  /** @throws {Problem} what the interface would answer */
  private async execute(
    request: FastifyRequest,
    id: string,
    { tokenId, hash }: { readonly tokenId: string; readonly hash: string },
    body: JsonObject,
  ): Promise<{ readonly issued: boolean }> {
    const { name = null, expiresAt } = await bodyInForm(body, IssueTokenBody);
    const token = { tokenId, name, hash, expiresAt: tokenExpiry(expiresAt) };
    const caller = this.visits.callerOf(request);
    const result = await this.commands.execute(new IssueToken(actorOf(caller), id, token, request.id));
    if (result.outcome === 'rejected' && result.rejection.code === 'already_issued') return { issued: false };
    acceptedOrProblem(ISSUE_TOKEN_PROBLEMS, result);
    return { issued: true };
  }

  private async explain(
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
    error: unknown,
    form: (faults: readonly ForeignFault[]) => NonNullable<Parameters<PrincipalReader['page']>[2]>['form'] & object,
  ): Promise<void> {
    const code = error instanceof Problem ? error.code : null;
    if (code === 'invalid-request') {
      const found = (error as Problem).members.errors as unknown as readonly ForeignFault[];
      const placed = form(
        found.map((fault) => ({ ...fault, pointer: fault.pointer.replace('/expiresAt', '/expiresOn') })),
      );
      this.visits.show(reply, await this.principals.page(request, id, { form: placed }), 422);
      return;
    }
    if (code !== 'too-many-tokens') throw error;
    const { refused } = this.visits.of(request).t.admin;
    const notice = (
      <Notice tone="bad" title={refused.tooManyTokens} focus={true}>
        <p>{refused.tooManyTokensText}</p>
      </Notice>
    );
    this.visits.show(reply, await this.principals.page(request, id, { notice, form: form([]) }), 409);
  }

  private async showRevoke(
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
    tokenId: string,
    isRefused: boolean,
  ): Promise<void> {
    const token = (await this.records.read(id))?.tokens.find((one) => one.tokenId === tokenId);
    if (token === undefined) throw new Problem('token-not-found');
    const shown = { principalId: id, tokenId, name: nameOfToken(token), isRefused };
    this.visits.show(reply, <RevokePage visit={this.visits.of(request)} {...shown} />, isRefused ? 409 : 200);
  }
}

/** A token lasts to the end of the day that was given, UTC; what is no day is told so by the interface's own form. */
function bodyOf({ expiresOn, ...answer }: JsonObject): JsonObject {
  if (typeof expiresOn !== 'string') return answer;
  return { ...answer, expiresAt: /^\d{4}-\d{2}-\d{2}$/.test(expiresOn) ? `${expiresOn}T23:59:59.999Z` : expiresOn };
}
