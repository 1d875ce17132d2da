import type { PauseView } from '../../projections/runs/get-pause.query.js';
import type { Draft } from '../form/draft.js';

/** A request that was on the page: its call, and the tool that asked. */
const REQUEST = /^request ([A-Za-z0-9_-]{1,64})$/;

/**
 * What was typed for a turn that is gone, moved to the turn that stands now: each call's fields to the first call of the
 * same tool that has none yet. The same draft where the calls are the same.
 */
export function draftForPause({ requests }: PauseView, draft: Draft): Draft {
  const asked = [...draft].flatMap(([name, texts]) => {
    const callId = REQUEST.exec(name)?.[1];
    return callId === undefined ? [] : [{ callId, toolName: texts.at(-1) }];
  });
  const moves = new Map<string, string>();
  for (const { callId, toolName } of asked) {
    if (requests.some((request) => request.callId === callId)) continue;
    const free = requests.find(
      (request) =>
        request.toolName === toolName &&
        !asked.some((other) => other.callId === request.callId) &&
        ![...moves.values()].includes(request.callId),
    );
    if (free !== undefined) moves.set(callId, free.callId);
  }
  if (moves.size === 0) return draft;
  return new Map([...draft].map(([name, texts]) => [moved(name, moves), texts]));
}

function moved(name: string, moves: ReadonlyMap<string, string>): string {
  const [, word = '', callId = '', rest = ''] = /^([a-z]+\d* )?\/([A-Za-z0-9_-]+)(.*)$/su.exec(name) ?? [];
  const to = moves.get(callId);
  return to === undefined ? name : `${word}/${to}${rest}`;
}

/** What somebody typed, without what only steers the form: to be shown when it fits nowhere any more. */
export function typedTexts(draft: Draft): readonly { readonly name: string; readonly text: string }[] {
  return [...draft].flatMap(([name, texts]) => {
    const text = texts.flatMap(asTyped).join(', ');
    const isTyped = name.startsWith('/') || name === 'comment' || name === 'note' || name === 'result';
    return isTyped && text !== '' ? [{ name: name.replace(/^\/[^/]+\//, ''), text }] : [];
  });
}

/** An option is posted as the JSON of its value; what somebody chose was the text in it. */
function asTyped(text: string): string[] {
  if (text === '') return [];
  if (!/^".*"$/s.test(text)) return [text];
  try {
    return [String(JSON.parse(text))];
  } catch {
    return [text];
  }
}
