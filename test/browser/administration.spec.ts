import { InboxInBrowser, type Visitor } from './browser.js';

jest.setTimeout(120_000);

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

const put = (path: string, body: object) => inbox.service.call('PUT', path, body);

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">\u202Egnp';

describe('the administration in a browser', () => {
  it('without script somebody makes a configuration, a person and a token, and that person starts a run with it', async () => {
    await visit(
      async ({ page }) => {
        await page.getByRole('link', { name: 'Administration' }).click();
        await page.getByRole('link', { name: 'New configuration' }).click();
        await page.getByLabel('Id', { exact: false }).first().fill('greeting');
        await page.getByLabel('Scripted').check();
        await page.getByRole('button', { name: 'Update the form' }).last().click();
        await page.getByLabel('Turns').fill('[{"text": "Good morning from the script."}]');
        await page.getByRole('group', { name: 'Trust zone of the provider' }).getByLabel('local').check();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        await page.getByRole('link', { name: 'People and accounts' }).click();
        await page.getByRole('link', { name: 'New person or account' }).click();
        await page.getByLabel('Id', { exact: false }).first().fill('olga');
        await page.getByLabel('Person').check();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('There is no token.').waitFor();
        await page.getByLabel('Name').fill('laptop');
        await page.getByRole('button', { name: 'Issue a token' }).click();
        const token = await page.getByLabel('The token').inputValue();
        await page.reload();
        await page.getByText('This token was issued already').waitFor();
        expect(await page.content()).not.toContain(token);
        await visit(
          async (olga) => {
            expect(await olga.page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
            await olga.page.getByRole('link', { name: 'Start a run' }).first().click();
            await olga.page.getByLabel('Configuration').fill('greeting');
            await olga.page.getByLabel('Task').fill('Greet.');
            await olga.page.getByRole('button', { name: 'Start the run' }).click();
            const result = olga.page.getByText('Good morning from the script.');
            for (let look = 0; look < 40 && !(await result.isVisible()); look++) await olga.page.reload();
            await result.waitFor({ timeout: 2_000 });
          },
          { javaScriptEnabled: false },
          token,
        );
      },
      { javaScriptEnabled: false },
    );
  });

  it('in every page and state, light and dark, narrow and wide, axe finds nothing, and nothing sticks out', async () => {
    const provider = { kind: 'openai-compatible', baseUrl: `https://model.example/${'v'.repeat(60)}`, model: 'large' };
    await put('/snippets/house-rules', {
      name: HOSTILE,
      content: `Be brief.\n${'x'.repeat(400)}`,
      dataClass: 'secret_adjacent',
      active: false,
    });
    await put('/configurations/support', {
      provider,
      trustZone: 'external_eu',
      systemPrompt: 'You help.',
      snippetIds: ['house-rules'],
      fallbacks: [{ provider: { kind: 'scripted', turns: [] } }],
      requireSecondApprover: true,
    });
    await put('/principals/robot', { kind: 'service_account', enabled: false, scopes: ['agent:run', 'agent:read'] });
    const { tokenId } = (await inbox.service.call('POST', '/principals/robot/tokens', { name: 'night job' })).body;
    await put('/tools/issue_refund', { enabled: false });
    await visit(async (visitor) => {
      const { page } = visitor;
      const look = async (what: string) => {
        // Colours do not depend on the width, nor places on the colours: each is looked at once.
        for (const [colorScheme, width] of [
          ['light', 320],
          ['dark', 1280],
        ] as const) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          const found = [what, colorScheme, width, await visitor.axe(), await visitor.sticksOut()];
          expect(found).toEqual([what, colorScheme, width, [], false]);
        }
      };
      for (const below of [
        '/configurations',
        '/configurations/support?done=saved',
        '/configurations/support/edit',
        '/configurations/support/delete',
        '/new/configurations',
        '/snippets',
        '/snippets/house-rules',
        '/snippets/house-rules/edit',
        '/snippets/house-rules/delete',
        '/skills',
        '/principals',
        '/principals/robot',
        '/new/principals',
        `/principals/robot/tokens/${tokenId}/revoke`,
        '/tools',
        '/tools/issue_refund/edit',
        '/policy',
        '/policy/observe',
        '/audit',
        '/audit?kind=SkillDeleted',
        '/audit?kind=nonsense',
      ]) {
        await page.goto(inbox.url(`/admin${below}`));
        await look(below);
      }
      await page.goto(inbox.url('/admin/new/configurations'));
      await page.getByRole('group', { name: 'Provider' }).getByLabel('Anthropic').check();
      await page.getByLabel('Address').fill('ftp://x');
      await page.getByRole('button', { name: 'Add a row: Snippets' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('notice');
      await look('form with faults');
      await page.goto(inbox.url('/admin/snippets/house-rules/edit'));
      await put('/snippets/house-rules', { name: 'Theirs', content: 'theirs', active: true });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Somebody else has changed this meanwhile').waitFor();
      await look('conflict');
      await page.goto(inbox.url('/admin/principals/admin'));
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByText('You cannot take this from yourself').waitFor();
      await look('lockout');
      await page.goto(inbox.url('/admin/principals/robot'));
      await page.getByRole('button', { name: 'Issue a token' }).click();
      await page.getByLabel('The token').waitFor();
      await look('token issued');
    });
  });

  it('names and texts are only ever text', async () => {
    await put('/skills/hostile', { name: HOSTILE, content: HOSTILE, active: true });
    await visit(async ({ page }) => {
      for (const below of ['/skills', '/skills/hostile', '/skills/hostile/edit', '/audit']) {
        await page.goto(inbox.url(`/admin${below}`));
        expect(await page.title()).not.toBe('owned');
        expect(await page.locator('main img').count()).toBe(0);
      }
      await page.goto(inbox.url('/admin/skills/hostile'));
      const shown = await page.locator('main').innerText();
      for (const part of ['<img src=x', 'U+202E', 'cannot be seen']) expect(shown).toContain(part);
    });
  });

  it('what a provider needs appears once its kind is chosen, and what was typed stays', async () => {
    await visit(async ({ page }) => {
      await page.goto(inbox.url('/admin/new/configurations'));
      await page.getByLabel('System prompt').fill('typed before');
      await page.getByRole('group', { name: 'Provider' }).getByLabel('OpenAI', { exact: true }).check();
      await page.getByLabel('Environment variable').waitFor();
      expect(await page.getByLabel('System prompt').inputValue()).toBe('typed before');
      await page.getByRole('button', { name: 'Add a row: Fallbacks' }).click();
      await page.getByRole('group', { name: 'Fallbacks' }).getByRole('group', { name: 'Row 1' }).first().waitFor();
    });
  });

  it('goes by keyboard alone, and no key saves by itself', async () => {
    await put('/snippets/tone', { name: 'Tone', content: 'Be kind.', active: true });
    await visit(async ({ page }) => {
      await page.goto(inbox.url('/admin/snippets'));
      const focused = () =>
        page.evaluate(() => document.activeElement?.getAttribute('name') ?? document.activeElement?.textContent);
      const tabTo = async (name: string) => {
        for (let presses = 0; presses < 60 && (await focused()) !== name; presses++) await page.keyboard.press('Tab');
        expect(await focused()).toBe(name);
      };
      await page.keyboard.press('j');
      while (!(await focused())?.includes('tone')) await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL(/snippets\/tone$/);
      await tabTo('Edit');
      await page.keyboard.press('Enter');
      await page.waitForURL(/edit$/);
      await tabTo('/name');
      await page.keyboard.press('End');
      await page.keyboard.type(' of voice');
      await Promise.all([
        page.waitForResponse((one) => one.request().method() === 'POST' && one.url().endsWith('/edit')),
        page.keyboard.press('Enter'),
      ]);
      expect(await page.getByLabel('Name').inputValue()).toBe('Tone of voice');
      expect((await inbox.service.call('GET', '/snippets/tone')).body.name).toBe('Tone');
      for (let presses = 0; presses < 60 && (await focused()) !== 'intent'; presses++) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('Saved.').waitFor();
      expect((await inbox.service.call('GET', '/snippets/tone')).body.name).toBe('Tone of voice');
    });
  });
});
