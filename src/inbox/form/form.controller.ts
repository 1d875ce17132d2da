import { Controller, Get, Param } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiProperty, ApiSchema, ApiTags } from '@nestjs/swagger';
import type { Principal } from '../../governance/principal.js';
import { MayAttempt } from '../../http/admission.js';
import { API_PATH } from '../../http/api-path.js';
import { Caller } from '../../http/caller.js';
import { CallProblems } from '../../http/documentation/problem-responses.js';
import { Problem } from '../../http/problems/problem.js';
import { RunIdPipe } from '../../http/runs/run-id.pipe.js';
import { GetPause } from '../../projections/runs/get-pause.query.js';
import { type FormView, formView } from './form-view.js';

@ApiSchema({ name: 'RequestForm' })
class RequestFormBody {
  @ApiProperty()
  callId: string;

  @ApiProperty()
  toolName: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'A tree of fields. `pointer` names a field, `control` says what it takes, `choices` which alternatives are open, `value` what it holds.',
  })
  form: object;
}

@ApiSchema({ name: 'Form' })
class FormBody {
  @ApiProperty({ type: String, nullable: true, description: 'To be named by the answer.' })
  turnDigest: string | null;

  @ApiProperty({ type: [RequestFormBody], description: 'Empty where the run does not wait for input.' })
  requests: RequestFormBody[];
}

/** The form of a waiting run for front ends of others, by the model that the pages use. */
@ApiTags('runs')
@ApiBearerAuth()
@Controller(`${API_PATH}/runs`)
export class FormController {
  constructor(private readonly queries: QueryBus) {}

  @Get(':id/form')
  @MayAttempt('answer')
  @ApiOperation({ summary: 'Read what a run asks for as a form, for whoever may answer' })
  @ApiOkResponse({ type: FormBody })
  @CallProblems('run-not-found', 'no-pause', 'corrupt-suspended-state')
  async form(@Param('id', RunIdPipe) runId: string, @Caller() caller: Principal): Promise<FormView> {
    const found = await this.queries.execute(new GetPause(caller, runId));
    if (found === null) throw new Problem('run-not-found');
    if (found.outcome === 'no_pause') throw new Problem('no-pause');
    if (found.outcome === 'corrupt') throw new Problem('corrupt-suspended-state');
    return formView(found.pause);
  }
}
