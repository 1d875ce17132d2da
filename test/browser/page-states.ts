import type { Page } from 'playwright-core';
import type { Visitor } from './browser.js';
import type { Place } from './prepared-runs.js';

/*
 * Every state in which a person can find a page, and how they get there.
 */

export interface PageState {
  readonly name: string;
  /** Who looks; absent: an administrator. */
  readonly as?: 'nobody' | 'olga' | 'gina' | 'nora';
  /** Words that must be on the page. */
  readonly says: readonly string[];
  arrive(visitor: Visitor, place: Place): Promise<void>;
  /** What has to be put right after it. */
  leave?(place: Place): Promise<void>;
}

/** Why a run has ended, and what its page says of that. */
const SETTLED: readonly (readonly [string, ...string[]])[] = [
  ['finished', 'has been answered'],
  ['denied', 'denied'],
  ['max_iterations', 'limit of model answers'],
  ['cancelled', 'cancelled'],
  ['context_blocked', 'too sensitive'],
  ['not_retryable', 'refused'],
  ['uncertain-to-end', 'nobody knows'],
  ['erased', 'was erased'],
  ['suspend_failed', 'could not be stored'],
  ['configuration_gone', 'configuration'],
  ['corrupt_state', 'cannot be read'],
  ['provider_failed', 'provider'],
  ['retries_exhausted', 'failures'],
];

const page =
  (below: string) =>
  async ({ page }: Visitor, { inbox }: Place) => {
    await page.goto(inbox.url(below));
  };
const ofRun =
  (name: string) =>
  async ({ page }: Visitor, { inbox, runs }: Place) => {
    await page.goto(inbox.url(`/runs/${runs[name]}`));
  };

async function send(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send the answer' }).click();
  await page.locator('#notice').waitFor();
}

async function fillDelivery(page: Page): Promise<void> {
  await page.getByLabel('Day').fill('2031-01-01');
  await page.getByLabel('evening').check();
}

export const STATES: readonly PageState[] = [
  { name: 'sign-in', as: 'nobody', says: ['Access token'], arrive: page('/sign-in') },
  {
    name: 'sign-in-link',
    as: 'nobody',
    says: ['The link works once'],
    arrive: page('/sign-in?link=abcdefghijklmnopqrstuvwxyz'),
  },
  {
    name: 'sign-in-wrong-token',
    as: 'nobody',
    says: ['This token is not valid', 'ask for a new one'],
    arrive: async ({ page }, { inbox }) => {
      await page.goto(inbox.url('/sign-in'));
      await page.getByLabel('Access token').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('#notice').waitFor();
    },
  },
  {
    name: 'inbox-empty',
    as: 'nora',
    says: ['Nothing waits', 'appears here by itself'],
    arrive: page(''),
  },
  { name: 'inbox', says: ['issue_refund', 'plan_trip'], arrive: page('') },
  { name: 'inbox-no-match', says: ['No waiting run fits', 'Clear the search'], arrive: page('?q=nothing-like-this') },
  { name: 'input', says: ['When may we deliver?'], arrive: ofRun('input') },
  { name: 'input-rich', says: ['Travellers', 'Payment', 'Fragile goods'], arrive: ofRun('trip') },
  {
    name: 'input-422',
    says: ['have to be corrected', 'Nothing was sent'],
    arrive: async (visitor, place) => {
      await ofRun('trip')(visitor, place);
      const { page } = visitor;
      await page.getByLabel('By transfer').check();
      await page.getByLabel('Age').fill('old');
      await page.getByLabel('E-mail').fill('nobody');
      await page.getByLabel('Price').fill('many');
      await send(page);
    },
  },
  { name: 'input-several', says: ['Answer 2 requests'], arrive: ofRun('two') },
  { name: 'approval', says: ['Refund 249.00 EUR', 'This changes something'], arrive: ofRun('approval') },
  { name: 'approval-of-a-pretender', says: ['U+202E', 'javascript:'], arrive: ofRun('pretends to write') },
  { name: 'input-of-a-pretender', says: ['U+202E', 'javascript:'], arrive: ofRun('pretends to ask') },
  { name: 'result-of-a-pretender', says: ['U+202E', 'javascript:'], arrive: ofRun('pretended') },
  {
    name: 'refused-403',
    as: 'gina',
    says: ['You may not answer this', 'read_ledger', 'for administrators', 'What you typed is kept'],
    arrive: async (visitor, place) => {
      await ofRun('ledger')(visitor, place);
      await visitor.page.getByLabel('Account number').fill('AB123456');
      await send(visitor.page);
    },
  },
  {
    name: 'second-approver',
    as: 'gina',
    says: ['You may not approve your own run', 'ask somebody else', 'In order.'],
    arrive: async (visitor, place) => {
      await ofRun('four eyes')(visitor, place);
      await visitor.page.getByLabel('Comment').fill('In order.');
      await visitor.page.getByRole('button', { name: 'Approve' }).click();
      await visitor.page.locator('#notice').waitFor();
    },
  },
  {
    name: 'stale-409',
    says: ['The request has changed', 'Nothing was sent', 'Read the new request'],
    arrive: async (visitor, place) => {
      await ofRun('stale')(visitor, place);
      const { page } = visitor;
      await fillDelivery(page);
      await page.locator('input[name="turn"]').evaluate((turn: HTMLInputElement) => {
        turn.value = '0'.repeat(64);
      });
      await send(page);
    },
  },
  {
    name: 'answered-by-somebody-else',
    says: ['Already answered', 'gina answered this request first', '2031-01-01'],
    arrive: async (visitor, place) => {
      await ofRun('answered before')(visitor, place);
      const { page } = visitor;
      await fillDelivery(page);
      await answerAsGina(place, 'answered before');
      await send(page);
    },
  },
  {
    name: 'changed-while-open',
    says: ['has changed since the page was loaded', 'Show what is new'],
    arrive: async (visitor, place) => {
      await ofRun('answered')(visitor, place);
      const { page } = visitor;
      await fillDelivery(page);
      await answerAsGina(place, 'answered');
      await page.getByRole('button', { name: 'Show what is new' }).waitFor();
    },
  },
  {
    name: 'configuration-gone-409',
    says: ['The configuration of this run is gone', 'An administrator can put'],
    arrive: async (visitor, place) => {
      await ofRun('gone')(visitor, place);
      await fillDelivery(visitor.page);
      await send(visitor.page);
    },
  },
  {
    name: 'context-blocked-409',
    says: ['A source is too sensitive', 'snippet:passwords', 'An administrator can change that'],
    arrive: async (visitor, place) => {
      await ofRun('blocked')(visitor, place);
      await fillDelivery(visitor.page);
      await send(visitor.page);
    },
  },
  {
    name: 'accepted',
    says: ['Your answer was accepted', 'goes on by itself', 'The end of it.'],
    arrive: async (visitor, place) => {
      await ofRun('input')(visitor, place);
      await fillDelivery(visitor.page);
      await visitor.page.getByRole('button', { name: 'Send the answer' }).click();
      await visitor.page.getByText('The end of it.').waitFor();
    },
  },
  { name: 'working', says: ['goes on by itself'], arrive: ofRun('working') },
  {
    name: 'unreadable',
    says: ['cannot be read', 'Nothing was changed', 'Tell whoever operates'],
    arrive: ofRun('unreadable'),
  },
  { name: 'resolution', says: ['What became of break_off?', 'never executed again'], arrive: ofRun('uncertain') },
  {
    name: 'resolution-422',
    says: ['Choose what happened', 'Say how you found out'],
    arrive: async (visitor, place) => {
      await ofRun('uncertain')(visitor, place);
      await visitor.page.getByRole('button', { name: 'Record this' }).click();
      await visitor.page.getByText('Choose what happened').first().waitFor();
    },
  },
  { name: 'resolution-for-others', as: 'gina', says: ['Only an administrator'], arrive: ofRun('uncertain') },
  ...SETTLED.map(([name, ...says]) => ({ name: `settled-${name}`, says, arrive: ofRun(name) })),
  { name: 'history', says: ['newest first', 'looking'], arrive: page('/history') },
  { name: 'history-empty', as: 'olga', says: ['There is no run here yet'], arrive: page('/history?status=completed') },
  { name: 'start', says: ['Start a run', 'What the agent is to do'], arrive: page('/start') },
  {
    name: 'start-422',
    says: ['Say what the agent is to do'],
    arrive: async ({ page }, { inbox }) => {
      await page.goto(inbox.url('/start?configuration=demo'));
      await page.getByRole('button', { name: 'Start the run' }).click();
      await page.getByText('Say what the agent is to do.').waitFor();
    },
  },
  {
    name: 'help',
    says: ['No key ever sends an answer'],
    arrive: async ({ page }, { inbox }) => {
      await page.goto(inbox.url());
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'not-found', says: ['There is no such page'], arrive: page('/runs/unknown') },
  {
    name: 'forbidden',
    as: 'gina',
    says: ['This is not for you', 'Ask an administrator'],
    arrive: async ({ page }, { inbox, runs }) => {
      await page.goto(inbox.url(`/runs/${runs.uncertain}`));
      await post(page, `${inbox.url(`/runs/${runs.uncertain}/resolution`)}`, { verdict: 'fail', note: 'x' });
    },
  },
  {
    name: 'session-ended',
    as: 'olga',
    says: ['Your session has ended', 'what you typed'],
    arrive: async ({ page, context }, { inbox }) => {
      await page.goto(inbox.url('/start'));
      await page.getByLabel('Configuration').fill('demo');
      await page.getByLabel('Task').fill('Keep this.');
      await context.clearCookies();
      await page.getByRole('button', { name: 'Start the run' }).click();
      await page.getByText('Your session has ended').waitFor();
    },
  },
  {
    name: 'answered-too-often',
    as: 'gina',
    says: ['too often', 'Nothing was sent', 'what you typed'],
    arrive: async (visitor, place) => {
      await ofRun('stale')(visitor, place);
      const { page } = visitor;
      await page.getByLabel('Day').fill('2031-01-01');
      await page.getByLabel('evening').check();
      await page.evaluate(async (address) => {
        for (let more = 0; more < 40; more++) {
          await fetch(address, { method: 'POST', body: new URLSearchParams({ decision: 'deny' }) });
        }
      }, `${page.url()}/decision`);
      await page.getByRole('button', { name: 'Send the answer' }).click();
      await page.getByText('too often').waitFor();
    },
  },
  {
    name: 'offline',
    says: ['Connection lost', 'connects again by itself'],
    arrive: async ({ page }, { inbox }) => {
      await page.goto(inbox.url());
      await page.waitForFunction(() => document.documentElement.classList.contains('scripted'));
      await inbox.takeAway();
      await page.getByText('Connection lost').waitFor();
    },
    leave: ({ inbox }) => inbox.bringBack(),
  },
  {
    name: 'arrived',
    says: ['1 new request'],
    arrive: async ({ page }, { inbox }) => {
      await page.goto(inbox.url());
      await page.waitForLoadState('networkidle');
      await inbox.run('delivering');
      await page.getByRole('button', { name: '1 new request' }).waitFor();
    },
  },
  {
    name: 'sign-in-limited',
    as: 'nobody',
    says: ['Too many attempts', 'Wait a minute'],
    arrive: async ({ page }, { inbox }) => {
      await page.goto(inbox.url('/sign-in'));
      for (let attempt = 0; attempt < 4; attempt++) {
        await page.getByLabel('Access token').fill(`wrong ${attempt}`);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.locator('#notice').waitFor();
      }
    },
  },
];

/** What somebody else answers while the page is open. */
async function answerAsGina({ inbox, runs, tokens }: Place, name: string): Promise<void> {
  const run = `/api/v1/runs/${runs[name]}`;
  const { pause } = (await inbox.service.request('GET', run)).body;
  const body = { turnDigest: pause.turnDigest, data: { date: '2030-01-01', slot: 'morning' } };
  await inbox.service.request('POST', `${run}/input`, { body, token: tokens.gina, headers: { prefer: 'wait=20' } });
}

/** Posts a form that no page of ours shows to this person. */
async function post(page: Page, address: string, fields: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(
    ({ address, fields }) => {
      const form = Object.assign(document.createElement('form'), { method: 'post', action: address });
      for (const [name, value] of Object.entries(fields)) {
        form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
      }
      document.body.append(form);
      form.submit();
    },
    { address, fields },
  );
  await page.waitForURL(address);
}
