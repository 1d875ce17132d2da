import type { Fold } from '../events/decider.js';
import type { RecordedEventOf } from '../events/event.js';
import { TOOL_STREAM_PREFIX, type ToolSwitched } from '../events/governance-events.js';
import type { RecordKind } from './records.js';

export interface ToolSwitchState {
  /** Null until an operator has said anything: then a tool is enabled, and as it declares itself. */
  readonly document: RecordedEventOf<ToolSwitched> | null;
}

const toolSwitchFold: Fold<ToolSwitchState, ToolSwitched> = {
  initialState: { document: null },
  evolve: (_state, event) => ({ document: event }),
};

export const TOOL_SWITCH: RecordKind<ToolSwitchState, ToolSwitched> = {
  streamPrefix: TOOL_STREAM_PREFIX,
  fold: toolSwitchFold,
  // Asked for at every step of every run, all of them.
  mostRemembered: 1_024,
};
