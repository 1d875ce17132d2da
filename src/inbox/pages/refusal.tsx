import type { ComponentChildren } from 'preact';
import type { Draft } from '../form/draft.js';
import { lookUp } from '../messages/fault-sentence.js';
import { Notice, type Tone } from '../parts/notice.js';
import { Ago, Moment, Shown } from '../parts/text.js';
import { typedTexts } from './carried-draft.js';
import type { RunPageContent } from './run-page.js';
import type { Visit } from './visit.js';

/** Every reason for which what somebody sent about a run is not taken. */
export interface AnswerRejection {
  readonly code: keyof typeof STATUS;
  readonly answeredAt?: string;
  readonly toolName?: string | null;
  readonly reason?: string;
  readonly source?: string;
  readonly dataClass?: string;
  readonly zone?: string;
}

const STATUS = {
  run_not_found: 404,
  already_answered: 409,
  run_settled: 409,
  not_awaiting_input: 409,
  not_awaiting_approval: 409,
  not_awaiting_resolution: 409,
  another_call: 409,
  corrupt_suspended_state: 500,
  configuration_gone: 409,
  stale_turn: 409,
  submitter_not_permitted: 403,
  approver_not_permitted: 403,
  self_approval: 403,
  context_blocked: 409,
  invalid_input: 422,
} as const;

export function refusalStatus({ code }: AnswerRejection): number {
  return STATUS[code];
}

interface RefusalProps {
  readonly visit: Visit;
  readonly content: RunPageContent;
  readonly rejection: AnswerRejection;
  readonly draft: Draft;
}

/** Why it was not taken, what can be done now, and what had been typed. */
export function RefusalNotice(props: RefusalProps) {
  const { visit, content, draft, rejection } = props;
  const { tone, title, body } = wordsOf(props);
  const typed = typedTexts(draft);
  const formHoldsIt =
    content.forms.length > 0 || rejection.code === 'self_approval' || rejection.code === 'approver_not_permitted';
  return (
    <Notice tone={tone} title={title} focus={true}>
      {body}
      {typed.length === 0 || (formHoldsIt && rejection.code !== 'already_answered') ? null : (
        <div class="draft">
          <p>{visit.t.answered.draftKept}</p>
          <table class="values" aria-label={visit.t.answered.draft}>
            <tbody>
              {typed.map(({ name, text }) => (
                <tr key={name}>
                  <th scope="row">
                    <Shown text={name} />
                  </th>
                  <td class="text">
                    <Shown text={text} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Notice>
  );
}

interface Words {
  readonly tone: Tone;
  readonly title: string;
  readonly body: ComponentChildren;
}

function wordsOf({ visit, content, rejection, draft }: RefusalProps): Words {
  const { t } = visit;
  const { answered } = t;
  const said = (tone: Tone, title: string, ...sentences: string[]): Words => ({
    tone,
    title,
    body: (
      <p>
        <Shown text={sentences.join(' ')} />
      </p>
    ),
  });
  switch (rejection.code) {
    case 'already_answered':
      return alreadyAnswered(visit, content, rejection, draft);
    case 'stale_turn':
    case 'another_call':
      return said('warning', answered.stale, answered.staleText, answered.staleNext);
    case 'run_settled':
      return said('warning', answered.settled, answered.settledText);
    case 'configuration_gone':
      return said('bad', answered.gone, answered.goneText);
    case 'context_blocked': {
      const { source = '', dataClass = '', zone = '' } = rejection;
      return said('bad', answered.blocked, answered.blockedText(source, dataClass, zone));
    }
    case 'submitter_not_permitted':
    case 'approver_not_permitted': {
      const reason = lookUp(t.denial, rejection.reason ?? '');
      const sentence = answered.notPermittedText(rejection.toolName ?? '?', reason);
      return said('bad', answered.notPermitted, sentence, answered.notPermittedNext);
    }
    case 'self_approval':
      return said('bad', answered.selfApproval, answered.selfApprovalText);
    case 'corrupt_suspended_state':
      return said('bad', t.run.unreadable, t.run.unreadableNext);
    default:
      return said('warning', answered.notWaiting, answered.notWaitingText);
  }
}

/** Who was first, and when; to the person themselves their own answer is good news. */
function alreadyAnswered(
  visit: Visit,
  { timeline }: RunPageContent,
  { answeredAt }: AnswerRejection,
  draft: Draft,
): Words {
  const { answered } = visit.t;
  const turn = draft.get('turn')?.at(-1);
  const answer = timeline.find(
    ({ type, turnDigest }) => (type === 'InputSubmitted' || type === 'ApprovalDecided') && turnDigest === turn,
  );
  const who = answer?.actor?.id ?? null;
  const isOwn = who !== null && who === visit.caller?.id;
  const sentence = who === null ? answered.bySomebody : isOwn ? answered.byYou : answered.byOther(who);
  return {
    tone: 'warning',
    title: answered.already,
    body: (
      <>
        <p>
          <Shown text={sentence} />
        </p>
        {answeredAt === undefined ? null : (
          <p>
            {answered.at}: <Moment at={answeredAt} visit={visit} /> (<Ago at={answeredAt} visit={visit} />)
          </p>
        )}
      </>
    ),
  };
}
