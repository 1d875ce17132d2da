import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CancelRun } from '../../commands/cancel-run.command.js';
import { Approve, Deny } from '../../commands/decide-turn.command.js';
import { ResolveCall } from '../../commands/resolve-call.command.js';
import { SubmitInput } from '../../commands/submit-input.command.js';
import { mayAdminister } from '../../governance/access.js';
import type { Principal } from '../../governance/principal.js';
import { Limits } from '../../http/limits/limits.js';
import { Problem } from '../../http/problems/problem.js';
import { RunIdPipe } from '../../http/runs/run-id.pipe.js';
import { GetRun } from '../../projections/runs/get-run.query.js';
import { type Draft, edited, formEdit } from '../form/draft.js';
import { formFaults } from '../form/form-faults.js';
import { draftForPause } from './carried-draft.js';
import { PagesForSignedIn } from './page.decorators.js';
import { postedDraft, postedFields } from './posted-fields.js';
import { type AnswerRejection, RefusalNotice, refusalStatus } from './refusal.js';
import { VERDICTS } from './resolution-form.js';
import { RunPage, type RunPageContent } from './run-page.js';
import { RunReader } from './run-reader.js';
import { Visits } from './visits.js';

/** What people send about a run. Whatever is refused is shown again with everything that was typed. */
@PagesForSignedIn()
@Controller('inbox/runs')
export class RunAnswersController {
  constructor(
    private readonly visits: Visits,
    private readonly runs: RunReader,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly limits: Limits,
  ) {}

  @Post(':id/answer')
  async answer(
    @Param('id', RunIdPipe) runId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caller = this.visits.callerOf(request);
    const fields = postedFields(request);
    const intent = fields.get('intent') ?? '';
    const edit = formEdit(intent);
    const posted = postedDraft(fields);
    const content = await this.contentFor(caller, runId, edit === null ? posted : edited(posted, edit));
    if (edit !== null && isSameTurn(content, fields)) {
      this.show(request, reply, content);
      return;
    }
    if (edit !== null) {
      this.refuse(request, reply, content, { code: 'stale_turn' }, posted);
      return;
    }
    if (this.showFaults(request, reply, content, fields)) return;
    const answers = Object.fromEntries(content.forms.map(({ callId, form }) => [callId, form.answer]));
    await this.limits.admitCall('answers', caller.id);
    const submit = new SubmitInput(caller, runId, fields.get('turn'), { form: 'answers', answers }, request.id);
    const result = await this.commands.execute(submit);
    if (result.outcome !== 'rejected') {
      await this.goOn(request, reply, runId, result.position, 'answered');
      return;
    }
    const { rejection } = result;
    // The run has changed between the look at it and the submission: it is read again.
    const now = await this.contentFor(caller, runId, posted);
    if (rejection.code === 'invalid_input' && this.showFaults(request, reply, now, fields)) return;
    this.refuse(request, reply, now, rejection, posted);
  }

  @Post(':id/decision')
  async decide(
    @Param('id', RunIdPipe) runId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caller = this.visits.callerOf(request);
    const fields = postedFields(request);
    const decision = fields.get('decision');
    if (decision === null && fields.get('intent') === 'refresh') {
      await this.showAgain(request, reply, runId, fields);
      return;
    }
    // Only a button says yes or no; a form that came without one decides nothing.
    if (decision !== 'approve' && decision !== 'deny') throw new Problem('invalid-request', { errors: [] });
    const text = (fields.get('comment') ?? '').replaceAll('\r\n', '\n');
    const comment = text.trim() === '' ? null : text;
    await this.limits.admitCall('answers', caller.id);
    const Decision = decision === 'approve' ? Approve : Deny;
    const result = await this.commands.execute(new Decision(caller, runId, fields.get('turn'), comment, request.id));
    if (result.outcome !== 'rejected') {
      await this.goOn(request, reply, runId, result.position, 'answered');
      return;
    }
    const posted = postedDraft(fields);
    this.refuse(request, reply, await this.contentFor(caller, runId, posted), result.rejection, posted);
  }

  @Post(':id/cancel')
  async cancel(
    @Param('id', RunIdPipe) runId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caller = this.visits.callerOf(request);
    const result = await this.commands.execute(new CancelRun(caller, runId, request.id));
    if (result.outcome !== 'rejected') {
      await this.goOn(request, reply, runId, result.position, 'cancelled');
      return;
    }
    this.refuse(request, reply, await this.contentFor(caller, runId), result.rejection, new Map());
  }

  @Post(':id/resolution')
  async resolve(
    @Param('id', RunIdPipe) runId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caller = this.visits.callerOf(request);
    if (!mayAdminister(caller)) throw new Problem('forbidden');
    const fields = postedFields(request);
    const text = (name: string) => (fields.get(name) ?? '').replaceAll('\r\n', '\n');
    const verdict = VERDICTS.find((one) => one === fields.get('verdict'));
    const note = text('note');
    if (fields.get('intent') === 'refresh') {
      const resolution = { verdict: verdict ?? '', result: text('result'), note, faults: [] };
      this.show(request, reply, { ...(await this.contentFor(caller, runId)), resolution });
      return;
    }
    if (verdict === undefined || note.trim() === '') {
      const content = await this.contentFor(caller, runId);
      const faults = [
        ...(verdict === undefined ? (['verdict'] as const) : []),
        ...(note.trim() === '' ? (['note'] as const) : []),
      ];
      const resolution = { verdict: verdict ?? '', result: text('result'), note, faults };
      this.show(request, reply, { ...content, resolution }, 422);
      return;
    }
    const finding = verdict === 'executed' ? ({ verdict, result: text('result') } as const) : ({ verdict } as const);
    const resolve = new ResolveCall(caller, runId, fields.get('callId') ?? '', finding, note, request.id);
    const result = await this.commands.execute(resolve);
    if (result.outcome !== 'rejected') {
      await this.goOn(request, reply, runId, result.position, 'resolved');
      return;
    }
    this.refuse(request, reply, await this.contentFor(caller, runId), result.rejection, postedDraft(fields));
  }

  /** The decision as it is asked for now, with what was typed for it. */
  private async showAgain(
    request: FastifyRequest,
    reply: FastifyReply,
    runId: string,
    fields: URLSearchParams,
  ): Promise<void> {
    const posted = postedDraft(fields);
    const content = await this.contentFor(this.visits.callerOf(request), runId, posted);
    const { pause } = content;
    if (pause?.outcome !== 'found' || pause.pause.kind !== 'approval') {
      this.refuse(request, reply, content, { code: 'not_awaiting_approval' }, posted);
    } else if (pause.pause.turnDigest !== fields.get('turn')) {
      this.refuse(request, reply, content, { code: 'stale_turn' }, posted);
    } else this.show(request, reply, content);
  }

  /** @throws {Problem} `run-not-found` */
  private async contentFor(caller: Principal, runId: string, draft?: Draft): Promise<RunPageContent> {
    const content = await this.runs.read(caller, runId, draft);
    if (content === null) throw new Problem('run-not-found');
    const { pause } = content;
    if (draft === undefined || pause?.outcome !== 'found' || pause.pause.kind !== 'input') return content;
    const carried = draftForPause(pause.pause, draft);
    return carried === draft ? content : ((await this.runs.read(caller, runId, carried)) ?? content);
  }

  /** Whether faults were found and shown: those of the validator, and what it never gets to see. */
  private showFaults(
    request: FastifyRequest,
    reply: FastifyReply,
    content: RunPageContent,
    fields: URLSearchParams,
  ): boolean {
    if (!isSameTurn(content, fields)) return false;
    const faults = content.forms.flatMap(({ callId, inputSchema, form }) =>
      formFaults(inputSchema, form).map((fault) => ({ callId, fault })),
    );
    if (faults.length === 0) return false;
    this.show(request, reply, { ...content, input: { faults } }, 422);
    return true;
  }

  private refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    content: RunPageContent,
    rejection: AnswerRejection,
    draft: Draft,
  ): void {
    if (rejection.code === 'run_not_found') throw new Problem('run-not-found');
    const visit = this.visits.of(request);
    const notice = <RefusalNotice visit={visit} content={content} rejection={rejection} draft={draft} />;
    this.show(request, reply, { ...content, notice }, refusalStatus(rejection));
  }

  private show(request: FastifyRequest, reply: FastifyReply, content: RunPageContent, status = 200): void {
    this.visits.show(reply, <RunPage visit={this.visits.of(request)} content={content} />, status);
  }

  /** To the run, once what was written can be read; whoever has lost sight of it by answering goes back to the inbox. */
  private async goOn(
    request: FastifyRequest,
    reply: FastifyReply,
    runId: string,
    position: bigint,
    done: 'answered' | 'cancelled' | 'resolved',
  ): Promise<void> {
    const caller = this.visits.callerOf(request);
    const run = await this.queries.execute(new GetRun(caller, runId, { atLeast: position }));
    await this.visits.goTo(reply, run === null ? '?done=answered' : `/runs/${runId}?done=${done}`);
  }
}

/** Whether what is on the page of the person is what the run waits with. */
function isSameTurn({ pause }: RunPageContent, fields: URLSearchParams): boolean {
  return pause?.outcome === 'found' && pause.pause.kind === 'input' && pause.pause.turnDigest === fields.get('turn');
}
