import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminsOnly } from '../admission.js';
import { API_PATH } from '../api-path.js';
import { CallProblems } from '../documentation/problem-responses.js';
import { pageRequest } from '../runs/list.queries.js';
import {
  ConfigurationListBody,
  ListConfigurationsQuery,
  ListRecordsQuery,
  PrincipalListBody,
  SourceListBody,
} from './record-lists.body.js';
import { RecordLists } from './record-lists.js';

@ApiTags('governance')
@ApiBearerAuth()
@AdminsOnly()
@Controller(API_PATH)
export class RecordListsController {
  constructor(private readonly lists: RecordLists) {}

  @Get('configurations')
  @ApiOperation({ summary: 'List configurations by id, without prompts' })
  @ApiOkResponse({ type: ConfigurationListBody })
  @CallProblems('invalid-request')
  configurations(@Query() { source, ...page }: ListConfigurationsQuery): Promise<ConfigurationListBody> {
    return this.lists.configurations({ ...pageRequest(page), ...(source ? { source } : {}) });
  }

  @Get('snippets')
  @ApiOperation({ summary: 'List snippets by id, without their texts' })
  @ApiOkResponse({ type: SourceListBody })
  @CallProblems('invalid-request')
  snippets(@Query() page: ListRecordsQuery): Promise<SourceListBody> {
    return this.lists.sources('snippet', pageRequest(page));
  }

  @Get('skills')
  @ApiOperation({ summary: 'List skills by id, without their texts' })
  @ApiOkResponse({ type: SourceListBody })
  @CallProblems('invalid-request')
  skills(@Query() page: ListRecordsQuery): Promise<SourceListBody> {
    return this.lists.sources('skill', pageRequest(page));
  }

  @Get('principals')
  @ApiOperation({ summary: 'List people and service accounts by id' })
  @ApiOkResponse({ type: PrincipalListBody })
  @CallProblems('invalid-request')
  principals(@Query() page: ListRecordsQuery): Promise<PrincipalListBody> {
    return this.lists.principals(pageRequest(page));
  }
}
