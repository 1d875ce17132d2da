import type { Page, Request } from 'playwright-core';
import type { InboxInBrowser, Visitor } from './browser.js';

/*
 * What pages tell by themselves while they are open, and what they never do to whoever looks at them.
 */
export function liveCases(
  at: () => InboxInBrowser,
  visit: (act: (visitor: Visitor) => Promise<void>, ...who: Parameters<InboxInBrowser['visitor']>) => Promise<void>,
): void {
  const announced = (page: Page, text: string) => page.getByRole('button', { name: text }).waitFor();
  const scripted = (page: Page) => page.waitForFunction(() => document.documentElement.classList.contains('scripted'));

  it('of eight pages one keeps the connection and tells all; when it closes another does', async () => {
    await at().run('demo');
    await visit(async ({ context, page }) => {
      const open = new Set<Request>();
      context.on('request', (request) => {
        if (request.url().endsWith('/inbox/stream')) open.add(request);
      });
      context.on('requestfinished', (request) => open.delete(request));
      context.on('requestfailed', (request) => open.delete(request));
      const pages = [page];
      for (let more = 1; more < 8; more++) pages.push(await context.newPage());
      for (const one of pages) await one.goto(at().url());
      await page.bringToFront();
      const search = page.getByRole('searchbox');
      await search.fill('delivery');
      await search.evaluate((input: HTMLInputElement) => input.setSelectionRange(3, 3));
      await at().run('demo');
      for (const one of pages) await announced(one, '1 new request');
      expect(open.size).toBe(1);
      expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).selectionStart)).toBe(3);
      expect(await search.inputValue()).toBe('delivery');
      const before = await page.locator('.item').count();
      await page.getByRole('button', { name: '1 new request' }).click();
      expect(await page.locator('.item').count()).toBe(before + 1);

      // Nobody knows which one it was: seven of them are closed, one after the other.
      for (const one of pages.slice(0, 7)) await one.close();
      await at().run('demo');
      await announced(pages[7] as Page, '2 new requests');
    });
  });

  it('says that the connection is lost, and after a restart of the service shows what happened meanwhile', async () => {
    const run = await at().run('demo');
    await visit(async ({ page, context }) => {
      await page.goto(at().url());
      const other = await context.newPage();
      await other.goto(at().url(`/runs/${run}`));
      await other.getByLabel('Floor').fill('4');
      for (const one of [page, other]) await scripted(one);
      await at().takeAway();
      for (const one of [page, other]) await one.getByText('Connection lost').waitFor();
      await at().bringBack();
      await at().run('demo');
      await announced(page, '1 new request');
      for (const one of [page, other]) await one.getByText('Connection lost').waitFor({ state: 'detached' });
      expect(await other.getByLabel('Floor').inputValue()).toBe('4');
    });
  });

  it('a row never moves under the pointer: what is new comes when it is asked for, what is gone stays and is marked', async () => {
    const run = await at().run('demo-refund');
    await visit(async ({ page }) => {
      await page.goto(at().url());
      await scripted(page);
      const row = page.locator(`[data-item="${run}"]`);
      await row.scrollIntoViewIfNeeded();
      await row.hover();
      const before = await row.boundingBox();
      await at().run('demo');
      await announced(page, '1 new request');
      expect(await row.boundingBox()).toEqual(before);
      await at().service.call('POST', `/runs/${run}/cancel`);
      await page.locator(`[data-item="${run}"][data-gone]`).waitFor();
      expect(await row.boundingBox()).toEqual(before);
      expect(await row.getByText('does not wait any more').isVisible()).toBe(true);
    });
  });

  it('a form that is being filled in is told that its request was answered, and does not move', async () => {
    const run = await at().run('demo');
    const { pause } = (await at().service.call('GET', `/runs/${run}`)).body;
    await visit(async ({ page }) => {
      await page.goto(at().url(`/runs/${run}`));
      await scripted(page);
      await page.getByLabel('evening').check();
      const floor = page.getByLabel('Floor');
      await floor.fill('12');
      const before = await floor.boundingBox();
      const body = { turnDigest: pause.turnDigest, data: { date: '2030-01-01', slot: 'morning' } };
      await at().service.call('POST', `/runs/${run}/input`, body, { prefer: 'wait=20' });
      await announced(page, 'Show what is new');
      expect(await floor.boundingBox()).toEqual(before);
      expect(await floor.inputValue()).toBe('12');
      await page.getByRole('button', { name: 'Show what is new' }).click();
      await page.locator('#notice').waitFor();
      const notice = (await page.locator('#notice').textContent()) ?? '';
      for (const part of ['What you had typed', 'evening', '12']) expect(notice).toContain(part);
    });
  });
}
