import { HOSTILE } from '../support/form-tools.js';
import { ADMIN_TOKEN } from '../support/service.js';
import { InboxInBrowser, type Visitor } from './browser.js';
import { formCases } from './form-cases.js';
import { liveCases } from './live-cases.js';

jest.setTimeout(60_000);

let inbox: InboxInBrowser;
beforeAll(async () => {
  inbox = await InboxInBrowser.start();
});
afterAll(() => inbox?.stop());

/** Does something with a visitor and lets go of the browser; nothing may have gone against the policy of the pages. */
async function visit(act: (visitor: Visitor) => Promise<void>, ...who: Parameters<InboxInBrowser['visitor']>) {
  const visitor = await inbox.visitor(...who);
  try {
    await act(visitor);
    expect(visitor.complaints).toEqual([]);
  } finally {
    await visitor.leave();
  }
}

describe('a form in a browser', () => formCases(() => inbox, visit));

describe('an open page', () => liveCases(() => inbox, visit));

describe('the inbox in a browser', () => {
  it('without script a run is started, corrected, answered, and its result read', async () => {
    await visit(
      async ({ page }) => {
        await page.goto(inbox.url('/start'));
        await page.getByLabel('Configuration').fill('demo');
        await page.getByLabel('Task').fill('Arrange it.');
        await page.getByRole('button', { name: 'Start the run' }).click();
        await page.waitForURL(/\/runs\//);
        await untilShown(page, 'form#answer');
        await page.getByLabel('Floor').fill('high up');
        await page.getByRole('button', { name: 'Send the answer' }).click();
        expect(await page.getByRole('alert').innerText()).toContain('3 things have to be corrected');
        expect(await page.getByLabel('Floor').inputValue()).toBe('high up');
        expect(await page.getByLabel('Floor').getAttribute('aria-invalid')).toBe('true');
        await page.getByLabel('Day').fill('2030-05-02');
        await page.getByLabel('morning').check();
        await page.getByLabel('Floor').fill('3');
        await page.getByRole('button', { name: 'Send the answer' }).click();
        await untilShown(page, 'text=The delivery of order 1042 is arranged.');
      },
      { javaScriptEnabled: false },
    );
  });

  it('TRN-5 of two people who answer the same pause one is accepted, and the other is told who was first, with the draft kept', async () => {
    const token = await inbox.service.principal('gina', { kind: 'person', admin: true });
    const run = await inbox.run('demo');
    await visit(async ({ page }) => {
      await page.goto(inbox.url(`/runs/${run}`));
      await page.getByLabel('Day').fill('2031-01-01');
      await page.getByLabel('evening').check();
      await visit(
        async (gina) => {
          await gina.page.goto(inbox.url(`/runs/${run}`));
          await gina.page.getByLabel('Day').fill('2030-01-01');
          await gina.page.getByLabel('morning').check();
          await gina.page.getByRole('button', { name: 'Send the answer' }).click();
          await gina.page.getByText('Your answer was accepted').waitFor();
        },
        {},
        token,
      );
      const [response] = await Promise.all([
        page.waitForResponse(
          (one) => one.request().method() === 'POST' && one.url().endsWith('/answer') && one.status() === 409,
        ),
        page.getByRole('button', { name: 'Send the answer' }).click(),
      ]);
      expect(response.status()).toBe(409);
      const notice = page.getByRole('alert');
      await notice.waitFor();
      const text = await notice.innerText();
      for (const part of ['Already answered', 'gina answered this request first', '2031-01-01', 'evening'])
        expect(text).toContain(part);
    });
  });

  it('SUB-2 a refusal names the tool and the reason, and keeps what was typed', async () => {
    const token = await inbox.service.principal('greta', { kind: 'person', grants: ['agent_approve'] });
    const run = await inbox.run('demo-ledger');
    await visit(
      async ({ page }) => {
        await page.goto(inbox.url(`/runs/${run}`));
        await page.getByLabel('Account number').fill('AB123456');
        await page.getByRole('button', { name: 'Send the answer' }).click();
        const text = await page.getByRole('alert').innerText();
        expect(text).toContain('read_ledger, and the tool is for administrators');
        expect(await page.getByLabel('Account number').inputValue()).toBe('AB123456');
      },
      {},
      token,
    );
  });

  it('a write is approved only by its button, and its result is shown without loading the page again', async () => {
    await inbox.configure('approving', [
      { calls: [{ toolName: 'issue_refund', arguments: { orderId: '7', amountCents: 900 } }] },
    ]);
    const run = await inbox.run('approving');
    await visit(async ({ page }) => {
      await page.goto(inbox.url(`/runs/${run}`));
      await page.getByText('Refund 9.00 EUR').waitFor();
      await page.getByLabel('Comment').focus();
      for (const key of ['Enter', 'a', 'y', 'j']) await page.keyboard.press(key);
      await page.locator('main').focus();
      for (const key of ['a', 'y', 'Enter', ' ']) await page.keyboard.press(key);
      expect((await inbox.service.call('GET', `/runs/${run}`)).body.status).toBe('waiting_for_approval');
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('heading', { name: 'Result' }).waitFor();
      await page.getByText('The end of it.').waitFor();
    });
  });

  it('text of a model is only ever text, whole, with marks where it hides something', async () => {
    const long = 'x'.repeat(50_000);
    const said = { ...HOSTILE, long };
    await inbox.configure('hostile', [{ calls: [{ toolName: 'ask_delivery_window', arguments: said }] }]);
    const run = await inbox.run('hostile');
    await visit(
      async (visitor) => {
        const { page } = visitor;
        await page.goto(inbox.url(`/runs/${run}`));
        expect(await page.title()).not.toBe('owned');
        expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0);
        const table = await page.getByRole('table').first().innerText();
        for (const part of [HOSTILE.markup, HOSTILE.link, HOSTILE.right, HOSTILE.family, 'U+202E', 'U+200B'])
          expect(table).toContain(part);
        expect(table).toContain(long);
        expect(await page.getByText('characters in here that cannot be seen').count()).toBeGreaterThan(0);
        expect(await visitor.sticksOut()).toBe(false);
      },
      { viewport: { width: 320, height: 700 } },
    );
  });

  it('the core path goes by keyboard alone', async () => {
    await visit(async ({ page }) => {
      await inbox.run('demo');
      await page.goto(inbox.url('?kind=input&q=delivery'));
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.locator('form#answer').waitFor();
      await page.getByLabel('Day').focus();
      await page.keyboard.type('05022030');
      expect(await page.getByLabel('Day').inputValue()).toMatch(/^2030-/);
      await page.getByLabel('morning').focus();
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Send the answer' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('Your answer was accepted').waitFor();
    });
  });

  it('single keys move about, are dead while somebody types, can be switched off, and send nothing', async () => {
    await inbox.run('demo');
    await inbox.run('demo-refund');
    await visit(async ({ page }) => {
      const focused = () =>
        page.evaluate(() => document.activeElement?.closest('[data-item]')?.getAttribute('data-item'));
      const ids = await page
        .locator('.item')
        .evaluateAll((items) => items.map((item) => item.getAttribute('data-item')));
      for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
      expect(await focused()).toBe(ids[0]);
      await page.keyboard.press('/');
      await page.keyboard.type('j?k');
      expect(await page.getByRole('searchbox').inputValue()).toBe('j?k');
      await page.locator('main').focus();
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await page.getByLabel('Use single keys').uncheck();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.reload();
      for (const key of ['j', '?', '/']) await page.keyboard.press(key);
      expect(await focused()).toBeUndefined();
      expect(await page.getByRole('dialog').isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Keys' }).click();
      await page.getByLabel('Use single keys').check();
      await page.getByRole('button', { name: 'Close' }).click();
      await page.locator('main').focus();
      await page.keyboard.press('j');
      expect(await focused()).toBe(ids[0]);
    });
  });

  it('from signing in to an approval everything goes by keyboard, and where the focus is can be seen', async () => {
    const run = await inbox.run('demo-refund');
    const visitor = await inbox.stranger();
    const { page } = visitor;
    await page.goto(inbox.url(`/sign-in?to=/runs/${run}`));
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 40; presses++) {
        await page.keyboard.press('Tab');
        const at = page.locator(':focus');
        if ((await at.count()) === 0) continue;
        const outline = await at.evaluate((element) => {
          const item = element.closest('.item') ?? element;
          return [getComputedStyle(element), getComputedStyle(item)].some(
            ({ outlineStyle }) => outlineStyle !== 'none',
          );
        });
        expect([await at.evaluate((element) => element.outerHTML.slice(0, 80)), outline]).toEqual([
          expect.anything(),
          true,
        ]);
        if ((await at.evaluate((element) => element.textContent || element.id)).trim() === name) return;
      }
      throw new Error(`no way to ${name} by keyboard`);
    };
    await tabTo('token');
    await page.keyboard.type(ADMIN_TOKEN);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Approve issue_refund?' }).waitFor();
    await tabTo('comment');
    await page.keyboard.type('As agreed.');
    await tabTo('Approve');
    await page.keyboard.press('Space');
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    expect(visitor.complaints).toEqual([]);
    await visitor.leave();
  });

  it('on paper, in forced colours and without motion a page says the same', async () => {
    await inbox.configure('wordy', [
      { calls: [{ toolName: 'ask_delivery_window', arguments: { text: 'word '.repeat(3_000) } }] },
    ]);
    const run = await inbox.run('wordy');
    await visit(async (visitor) => {
      const { page } = visitor;
      await page.goto(inbox.url(`/runs/${run}`));
      await page.emulateMedia({ media: 'print' });
      for (const gone of ['.top', '.bottom', '.actions', '.cancel', '.crumb']) {
        expect([gone, await page.locator(gone).first().isVisible()]).toEqual([gone, false]);
      }
      // Paper does not scroll: the whole text is there.
      const block = page.locator('.block').filter({ visible: true }).first();
      expect(await block.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBeLessThanOrEqual(
        1,
      );
      expect((await page.pdf()).length).toBeGreaterThan(10_000);

      await page.emulateMedia({ media: 'screen', forcedColors: 'active', colorScheme: 'dark' });
      const lines = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((element) => getComputedStyle(element).borderTopStyle);
      for (const told of ['.badge', 'input[type="date"]', 'button.main'])
        expect([told, await lines(told)]).toEqual([told, 'solid']);

      await page.emulateMedia({ forcedColors: 'none', reducedMotion: 'reduce' });
      expect(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior)).toBe('auto');
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    });
  });

  it('script and style are small', async () => {
    const sizes = async (names: readonly string[]) => {
      const answers = names.map((name) =>
        fetch(inbox.url(`/assets/${name}`), { headers: { 'accept-encoding': 'gzip' } }),
      );
      const lengths = (await Promise.all(answers)).map(({ headers }) => {
        expect(headers.get('content-encoding')).toBe('gzip');
        return Number(headers.get('content-length'));
      });
      return lengths.reduce((sum, length) => sum + length, 0);
    };
    await visit(async ({ context, page }) => {
      const scripts = new Set<string>();
      context.on('request', (request) => {
        const [, name] = /\/assets\/([a-z-]+\.js)$/.exec(request.url()) ?? [];
        if (name !== undefined) scripts.add(name);
      });
      await page.goto(inbox.url(), { waitUntil: 'networkidle' });
      expect(scripts.size).toBeGreaterThan(3);
      expect(await sizes([...scripts])).toBeLessThan(8_192);
      expect(await sizes(['inbox.css'])).toBeLessThan(10_240);
    });
  });

  it('a form of another page is refused, and a session is worth nothing to the interface', async () => {
    await visit(async ({ page, context }) => {
      const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
      const post = (headers: Record<string, string>) =>
        fetch(inbox.url('/start'), {
          method: 'POST',
          headers: { cookie: cookies, 'content-type': 'application/x-www-form-urlencoded', ...headers },
          body: 'configuration=demo&input=x',
          redirect: 'manual',
        });
      expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
      expect((await post({})).status).toBe(403);
      const api = await fetch(`${inbox.service.address}/api/v1/me`, { headers: { cookie: cookies } });
      expect(api.status).toBe(401);
      const response = await page.goto(inbox.url());
      const headers = response?.headers() ?? {};
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types inbox",
      );
      expect([
        headers['x-content-type-options'],
        headers['referrer-policy'],
        headers['cross-origin-opener-policy'],
        headers['cache-control'],
      ]).toEqual(['nosniff', 'no-referrer', 'same-origin', 'no-store']);
      const [session] = (await context.cookies()).filter(({ name }) => name.includes('session'));
      expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/inbox' });
    });
  });

  it('speaks German to whoever prefers it, and the switch on the page wins', async () => {
    await visit(async ({ page }) => {
      await page.getByRole('button', { name: 'Deutsch' }).click();
      await page.getByRole('heading', { name: 'Eingang' }).waitFor();
      expect(await page.locator('html').getAttribute('lang')).toBe('de');
    });
  });
});

/** Without script a page is looked at again by loading it again. */
async function untilShown(page: Visitor['page'], selector: string): Promise<void> {
  for (let look = 0; look < 40 && !(await page.locator(selector).first().isVisible()); look++) await page.reload();
  await page.locator(selector).first().waitFor({ timeout: 2_000 });
}
