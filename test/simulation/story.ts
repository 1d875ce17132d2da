import type { JsonObject } from '../../src/events/json.js';
import type { ScriptedProvider } from '../../src/models/provider-configuration.js';

type ScriptedTurn = ScriptedProvider['turns'][number];

import type { Dice } from './world.js';

/** What a run of the simulation is to go through, drawn from the seed. */
export interface Story {
  readonly turns: readonly ScriptedTurn[];
  /** The model's provider fails each time that the last turn is reached. */
  readonly endsInFailure: boolean;
}

export function drawStory(dice: Dice): Story {
  const turns: ScriptedTurn[] = [];
  const length = 1 + dice.below(3);
  for (let index = 0; index < length; index += 1) turns.push(drawTurn(dice));
  const endsInFailure = dice.chance(0.1);
  turns.push(endsInFailure ? { error: { status: 503 } } : { text: 'the end' });
  return { turns, endsInFailure };
}

function drawTurn(dice: Dice): ScriptedTurn {
  const calls: NonNullable<ScriptedTurn['calls']>[number][] = [];
  const count = 1 + dice.below(3);
  for (let index = 0; index < count; index += 1) {
    calls.push(
      dice.chance(0.15) ? refund(dice) : dice.chance(0.5) ? ask(dice) : dice.chance(0.15) ? odd(dice) : look(dice),
    );
  }
  return { text: 'thinking', calls, ...(dice.chance(0.3) ? { delayMs: dice.below(3_000) } : {}) };
}

function ask(dice: Dice) {
  // The model fills in the person's fields, too; none of it may reach the tool (INP-6).
  return { toolName: 'ask', arguments: { topic: `t${dice.below(9)}`, amount: -1, note: 'from the model' } };
}

function refund(dice: Dice) {
  return { toolName: 'refund', arguments: { cents: dice.below(1_000) } };
}

function look(dice: Dice) {
  return { toolName: 'look', arguments: { at: dice.below(100) } };
}

function odd(dice: Dice) {
  return dice.pick<{ toolName: string; arguments: JsonObject | string }>([
    { toolName: 'nobody', arguments: {} },
    { toolName: 'look', arguments: '{"at": 1, "at": 2}' },
    { toolName: 'look', arguments: { at: 'not a number' } },
    { toolName: 'ask', arguments: '[1]' },
  ]);
}
