import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { InboxInBrowser, type Visitor } from './browser.js';
import { STATES } from './page-states.js';
import { type Place, prepare } from './prepared-runs.js';

jest.setTimeout(120_000);

/** Where pictures of all states go, for somebody who wants to look at them: PICTURES=pictures npx jest test/browser/states */
const PICTURES = process.env.PICTURES;

/** All rules once, narrow and light; elsewhere those whose finding another width or other colours can change. */
const LOOKS = [
  { width: 320, colorScheme: 'light', rules: undefined },
  { width: 320, colorScheme: 'dark', rules: ['color-contrast'] },
  { width: 1280, colorScheme: 'light', rules: ['color-contrast', 'target-size', 'scrollable-region-focusable'] },
  { width: 1280, colorScheme: 'dark', rules: ['color-contrast'] },
] as const;

let inbox: InboxInBrowser;
let place: Place;
const visitors = new Map<string, Visitor>();
beforeAll(async () => {
  inbox = await InboxInBrowser.start({ HOLDPOINT_RATE_FAILED_AUTHENTICATIONS: '3', HOLDPOINT_RATE_ANSWERS: '40' });
  place = await prepare(inbox);
  visitors.set('admin', await inbox.visitor());
  visitors.set('nobody', await inbox.stranger());
  for (const id of ['olga', 'gina', 'nora'] as const) visitors.set(id, await inbox.visitor({}, place.tokens[id]));
  if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true });
});
afterAll(() => inbox?.stop());

describe('a page, light and dark, narrow and wide, has nothing that axe finds, nothing that sticks out, no forbidden script', () => {
  it.each(STATES)('$name', async (state) => {
    const visitor = visitors.get(state.as ?? 'admin') as Visitor;
    const { page } = visitor;
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
    await state.arrive(visitor, place);
    for (const words of state.says) await page.getByText(words).first().waitFor({ state: 'attached' });
    for (const { width, colorScheme, rules } of LOOKS) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      if (PICTURES !== undefined) {
        const path = join(PICTURES, `${state.name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: true });
      }
      const found = await visitor.axe(rules);
      expect([width, colorScheme, found, await visitor.sticksOut()]).toEqual([width, colorScheme, [], false]);
    }
    await state.leave?.(place);
    expect(visitor.complaints).toEqual([]);
  });
});
