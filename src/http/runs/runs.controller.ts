import { Body, Controller, Delete, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CancelRun } from '../../commands/cancel-run.command.js';
import { Approve, Deny } from '../../commands/decide-turn.command.js';
import { EraseContent } from '../../commands/erase-content.command.js';
import { ResolveCall } from '../../commands/resolve-call.command.js';
import { StartRun } from '../../commands/start-run.command.js';
import { SubmitInput } from '../../commands/submit-input.command.js';
import type { Principal } from '../../governance/principal.js';
import { AdminsOnly, MayAttempt } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { NoBody } from '../body/no-body.js';
import { Caller, CorrelationId } from '../caller.js';
import { BodyCallProblems, CallProblems } from '../documentation/problem-responses.js';
import { idempotencyKey } from '../headers/idempotency-key.js';
import { preferredWait } from '../headers/prefer.js';
import { Limited } from '../limits/limited.guard.js';
import { acceptedOrProblem } from '../problems/rejections.js';
import { ApprovalBody } from './approval.body.js';
import { findingOf, ResolutionBody } from './resolution.body.js';
import { AcceptedRunBody, AcceptedSubmissionBody, AnsweredRunBody, RunBody } from './run.body.js';
import { RunAnswers } from './run-answers.js';
import { RunIdPipe } from './run-id.pipe.js';
import {
  CANCEL_RUN_PROBLEMS,
  DECIDE_TURN_PROBLEMS,
  ERASE_CONTENT_PROBLEMS,
  RESOLVE_CALL_PROBLEMS,
  START_RUN_PROBLEMS,
  SUBMIT_INPUT_PROBLEMS,
} from './run-problems.js';
import { StartRunBody, startRunRequest } from './start-run.body.js';
import { postedValues, SubmitInputBody } from './submit-input.body.js';

const prefer = {
  name: 'Prefer',
  required: false,
  description: '`wait=N`, at most 60 seconds: answers once the run waits or is settled (RFC 7240).',
};

/** Calls that change a run. */
@ApiTags('runs')
@ApiBearerAuth()
@Controller(`${API_PATH}/runs`)
export class RunsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly answers: RunAnswers,
  ) {}

  @Post()
  @HttpCode(202)
  @MayAttempt('start')
  @Limited('starts')
  @ApiOperation({ summary: 'Start a run' })
  @ApiHeader(prefer)
  @ApiHeader({ name: 'Idempotency-Key', required: false, description: 'A repeat under the same key is the same run.' })
  @ApiAcceptedResponse({ type: AcceptedRunBody })
  @ApiOkResponse({ type: RunBody, description: 'With `Prefer: wait=N`, once the run waits or is settled.' })
  @BodyCallProblems('configuration-gone', 'idempotency-key-reused', 'context-blocked')
  async start(
    @Body() body: StartRunBody,
    @Headers('idempotency-key') key: string | undefined,
    @Headers('prefer') preferences: string | undefined,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const start = new StartRun(caller, startRunRequest(body), idempotencyKey(key), correlationId);
    const accepted = acceptedOrProblem(START_RUN_PROBLEMS, await this.commands.execute(start));
    const run = await this.answers.standing(caller, accepted, preferredWait(preferences), reply);
    if (run === null) return acceptedRun(accepted);
    reply.status(200);
    return run;
  }

  @Post(':id/input')
  @HttpCode(202)
  @MayAttempt('answer')
  @Limited('answers')
  @ApiOperation({ summary: 'Answer a run that waits for input' })
  @ApiHeader(prefer)
  @ApiAcceptedResponse({ type: AcceptedSubmissionBody })
  @ApiOkResponse({
    type: AnsweredRunBody,
    description: 'With `Prefer: wait=N`, once the run waits again or is settled.',
  })
  @BodyCallProblems(
    'run-not-found',
    'already-answered',
    'run-settled',
    'not-awaiting-input',
    'corrupt-suspended-state',
    'configuration-gone',
    'stale-turn',
    'submitter-not-permitted',
    'context-blocked',
    'invalid-input',
  )
  async submit(
    @Param('id', RunIdPipe) runId: string,
    @Body() body: SubmitInputBody,
    @Headers('prefer') preferences: string | undefined,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const submit = new SubmitInput(caller, runId, body.turnDigest, postedValues(body), correlationId);
    const accepted = acceptedOrProblem(SUBMIT_INPUT_PROBLEMS, await this.commands.execute(submit));
    const { submission, ignoredKeys } = accepted;
    const answer = { submission, ...(ignoredKeys.length === 0 ? {} : { ignoredKeys }) };
    const run = await this.answers.standing(caller, accepted, preferredWait(preferences), reply);
    if (run === null) return { ...acceptedRun(accepted), ...answer };
    reply.status(200);
    return { ...run, ...answer };
  }

  @Post(':id/approval')
  @HttpCode(202)
  @MayAttempt('answer')
  @Limited('answers')
  @ApiOperation({ summary: 'Approve or deny the turn of a run that waits for approval' })
  @ApiHeader(prefer)
  @ApiAcceptedResponse({ type: AcceptedSubmissionBody })
  @ApiOkResponse({
    type: AnsweredRunBody,
    description: 'With `Prefer: wait=N`, once the run waits again or is settled.',
  })
  @BodyCallProblems(
    'run-not-found',
    'already-answered',
    'run-settled',
    'not-awaiting-approval',
    'corrupt-suspended-state',
    'configuration-gone',
    'stale-turn',
    'self-approval',
    'approver-not-permitted',
    'context-blocked',
  )
  async decide(
    @Param('id', RunIdPipe) runId: string,
    @Body() { turnDigest, approved, comment }: ApprovalBody,
    @Headers('prefer') preferences: string | undefined,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const Decision = approved ? Approve : Deny;
    const decision = new Decision(caller, runId, turnDigest, comment ?? null, correlationId);
    const accepted = acceptedOrProblem(DECIDE_TURN_PROBLEMS, await this.commands.execute(decision));
    const { submission } = accepted;
    const run = await this.answers.standing(caller, accepted, preferredWait(preferences), reply);
    if (run === null) return { ...acceptedRun(accepted), submission };
    reply.status(200);
    return { ...run, submission };
  }

  @Post(':id/resolution')
  @HttpCode(202)
  @AdminsOnly()
  @ApiOperation({ summary: 'Tell a run what became of its unfinished write' })
  @ApiAcceptedResponse({ type: AcceptedRunBody })
  @BodyCallProblems('run-not-found', 'run-settled', 'not-awaiting-resolution')
  async resolve(
    @Param('id', RunIdPipe) runId: string,
    @Body() body: ResolutionBody,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const resolve = new ResolveCall(caller, runId, body.callId, findingOf(body), body.note, correlationId);
    const accepted = acceptedOrProblem(RESOLVE_CALL_PROBLEMS, await this.commands.execute(resolve));
    await this.answers.standing(caller, accepted, null, reply);
    return acceptedRun(accepted);
  }

  @Delete(':id/content')
  @HttpCode(204)
  @AdminsOnly()
  @ApiOperation({ summary: 'Erase all content of a settled run, its final answer too; the run still lists' })
  @ApiNoContentResponse()
  @CallProblems('run-not-found', 'run-not-settled')
  async erase(
    @Param('id', RunIdPipe) runId: string,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const actor = { kind: 'principal', id: caller.id } as const;
    const erase = new EraseContent(actor, runId, ['working', 'outcome'], 'request', correlationId);
    const accepted = acceptedOrProblem(ERASE_CONTENT_PROBLEMS, await this.commands.execute(erase));
    await this.answers.standing(caller, accepted, null, reply);
  }

  @Post(':id/cancel')
  @HttpCode(202)
  @MayAttempt('cancel')
  @ApiOperation({ summary: 'Cancel a run, whatever it does at that moment' })
  @ApiAcceptedResponse({ type: AcceptedRunBody })
  @BodyCallProblems('run-not-found', 'run-settled')
  async cancel(
    @Param('id', RunIdPipe) runId: string,
    @Body() _body: NoBody,
    @Caller() caller: Principal,
    @CorrelationId() correlationId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const cancel = new CancelRun(caller, runId, correlationId);
    const accepted = acceptedOrProblem(CANCEL_RUN_PROBLEMS, await this.commands.execute(cancel));
    await this.answers.standing(caller, accepted, null, reply);
    return acceptedRun(accepted);
  }
}

function acceptedRun({
  runId,
  status,
  revision,
}: {
  readonly runId: string;
  readonly status: string;
  readonly revision: number;
}): object {
  return { id: runId, status, revision };
}
