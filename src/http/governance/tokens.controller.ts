import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { IssueToken } from '../../commands/governance/issue-token.command.js';
import { RevokeToken } from '../../commands/governance/revoke-token.command.js';
import type { Principal } from '../../governance/principal.js';
import { Principals } from '../../governance/principals.js';
import { TokenMint } from '../../governance/token-mint.js';
import { TokenUse } from '../../governance/token-use.js';
import { AdminsOnly } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { Caller, CorrelationId } from '../caller.js';
import { BodyCallProblems, CallProblems } from '../documentation/problem-responses.js';
import { Problem } from '../problems/problem.js';
import { acceptedOrProblem } from '../problems/rejections.js';
import { actorOf } from './actor-of.js';
import { ISSUE_TOKEN_PROBLEMS, REVOKE_TOKEN_PROBLEMS } from './governance-problems.js';
import { RecordIdPipe } from './record-id.pipe.js';
import { IssuedTokenBody, IssueTokenBody, TokenListBody, tokenExpiry } from './token.body.js';

@ApiTags('governance')
@ApiBearerAuth()
@AdminsOnly()
@Controller(`${API_PATH}/principals/:id/tokens`)
export class TokensController {
  constructor(
    private readonly commands: CommandBus,
    private readonly principals: Principals,
    private readonly mint: TokenMint,
    private readonly use: TokenUse,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Issue a token; it is told once' })
  @ApiCreatedResponse({ type: IssuedTokenBody })
  @BodyCallProblems('principal-not-found', 'too-many-tokens')
  async issue(
    @Param('id', RecordIdPipe) id: string,
    @Body() body: IssueTokenBody,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
  ): Promise<IssuedTokenBody> {
    const { token, tokenId, hash } = this.mint.make(id);
    const name = body.name ?? null;
    const expiresAt = tokenExpiry(body.expiresAt);
    const issue = new IssueToken(actorOf(caller), id, { tokenId, name, hash, expiresAt }, correlationId);
    acceptedOrProblem(ISSUE_TOKEN_PROBLEMS, await this.commands.execute(issue));
    return { token, tokenId, name, expiresAt };
  }

  @Get()
  @ApiOperation({ summary: 'List the tokens of a principal, without the tokens themselves' })
  @ApiOkResponse({ type: TokenListBody })
  @CallProblems('invalid-request', 'principal-not-found')
  async list(@Param('id', RecordIdPipe) id: string): Promise<TokenListBody> {
    const record = await this.principals.read(id);
    if (record === null) throw new Problem('principal-not-found');
    const used = this.use.lastUsed(id);
    const items = record.tokens.map(({ hash: _hash, ...listed }) => ({
      ...listed,
      lastUsedAt: used.get(listed.tokenId) ?? null,
    }));
    return { items, nextCursor: null };
  }

  @Delete(':tokenId')
  @HttpCode(204)
  @ApiOperation({ summary: 'Revoke a token, from the next request on; revoking it again changes nothing' })
  @ApiNoContentResponse()
  @CallProblems('invalid-request', 'principal-not-found', 'token-not-found', 'self-lockout')
  async revoke(
    @Param('id', RecordIdPipe) id: string,
    @Param('tokenId', RecordIdPipe) tokenId: string,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
  ): Promise<void> {
    const revocation = new RevokeToken(actorOf(caller), id, tokenId, correlationId);
    acceptedOrProblem(REVOKE_TOKEN_PROBLEMS, await this.commands.execute(revocation));
  }
}
