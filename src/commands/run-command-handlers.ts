import { CancelRunHandler } from './cancel-run.handler.js';
import { ClaimRunHandler } from './claim-run.handler.js';
import { ApproveHandler, DenyHandler, TurnDecisions } from './decide-turn.handlers.js';
import { EraseContentHandler } from './erase-content.handler.js';
import { RefusedAnswers } from './refused-answers.js';
import { ResolveCallHandler } from './resolve-call.handler.js';
import { StartRunHandler } from './start-run.handler.js';
import { SubmitInputHandler } from './submit-input.handler.js';

/** What every command on a run is handled by. */
export const RUN_COMMAND_HANDLERS = [
  RefusedAnswers,
  StartRunHandler,
  SubmitInputHandler,
  TurnDecisions,
  ApproveHandler,
  DenyHandler,
  ResolveCallHandler,
  EraseContentHandler,
  CancelRunHandler,
  ClaimRunHandler,
];
