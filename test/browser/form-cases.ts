import type { Page, Route } from 'playwright-core';
import type { InboxInBrowser, Visitor } from './browser.js';

/*
 * What people meet in a form, in a real browser: the same cases, by the same numbers, as those of the form model.
 */
export function formCases(
  at: () => InboxInBrowser,
  visit: (act: (visitor: Visitor) => Promise<void>, ...who: Parameters<InboxInBrowser['visitor']>) => Promise<void>,
): void {
  beforeAll(async () => {
    await at().configure('travelling', [{ calls: [{ toolName: 'plan_trip', arguments: {} }] }]);
    await at().configure('describing', [{ calls: [{ toolName: 'describe_parts', arguments: {} }] }]);
  });

  async function open(page: Page, configuration = 'travelling'): Promise<void> {
    await page.goto(at().url(`/runs/${await at().run(configuration)}`));
    await page.locator('form#answer').waitFor();
  }

  const send = (page: Page) => page.getByRole('button', { name: 'Send the answer' }).click();
  const addRow = (page: Page) => page.getByRole('button', { name: 'Add a row: Travellers' }).click();
  const removeRow = (page: Page, row: number) =>
    page.getByRole('button', { name: `Remove row ${row}: Travellers` }).click();
  const names = (page: Page) => page.getByLabel('Name', { exact: false }).filter({ visible: true });
  const texts = (page: Page) =>
    names(page).evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));

  it('cases 1, 2, 3, 12, 16, 19: nothing is chosen or confirmed for the person, and what is fixed is only shown', async () => {
    await visit(async ({ page }) => {
      await open(page);
      expect(await page.locator('form#answer :checked:not(option)').count()).toBe(0);
      expect(await page.getByLabel('Country').inputValue()).toBe('');
      expect(await page.getByLabel('Confirmation').inputValue()).toBe('');
      expect(await page.getByRole('group', { name: 'Fragile goods' }).getByRole('radio').count()).toBe(2);
      expect(await page.getByLabel('Note').count()).toBe(1);
      expect(await page.getByText('"A-1042"').count()).toBe(1);
      expect(await page.locator('[name$="/order"]').count()).toBe(0);
    });
  });

  it('cases 4 to 8, 13, 14, 17, 18, 20 to 22: branches, conditions and rows, to an accepted answer', async () => {
    await visit(async ({ page }) => {
      await open(page);
      await page.getByLabel('By card').check();
      await page.getByLabel('Card number').fill('DE00 1234 IBAN');
      await page.getByLabel('Country').selectOption('de');
      await page.waitForLoadState('networkidle');
      expect(await page.getByLabel('By card').isChecked()).toBe(true);
      expect(await page.getByLabel('Card number').inputValue()).toBe('DE00 1234 IBAN');
      await page.getByLabel('By transfer').check();
      await page.getByLabel('IBAN').waitFor();
      expect(await page.getByLabel('Card number').count()).toBe(0);

      await page.getByLabel('other', { exact: true }).check();
      await page.getByLabel('Explanation').fill('Rain');
      await page.getByLabel('late', { exact: true }).check();
      await page.getByLabel('Explanation').waitFor({ state: 'detached' });
      await page.getByLabel('other', { exact: true }).check();
      await page.getByLabel('Explanation').waitFor();

      await page.getByLabel('Price').fill('2.0');
      await page.keyboard.press('Tab');
      await page.getByLabel('Currency').waitFor();
      await page.getByLabel('Leaves').fill('2030-05-02T09:00:00+02:00');
      await send(page);
      await page.locator('#notice').waitFor();
      const summary = (await page.locator('#notice').textContent()) ?? '';
      for (const part of [
        'IBAN is required',
        'Explanation is required',
        'Note is required',
        'Travellers must have 1 row or more',
        'Fragile goods is required',
      ])
        expect(summary).toContain(part);
      expect(summary).not.toContain('Card number');
      expect(await page.getByLabel('Leaves').inputValue()).toBe('2030-05-02T09:00:00+02:00');
      expect(await page.getByLabel('Price').inputValue()).toBe('2.0');

      await page.getByLabel('IBAN').fill('1042');
      await page.getByLabel('Explanation').fill('Rain');
      await page.getByLabel('Note').fill('as discussed');
      await names(page).first().fill('Ann');
      await page.getByLabel('E-mail').fill('ann@example.org');
      await page.getByLabel('E-mail').fill('');
      await page.getByRole('group', { name: 'Fragile goods' }).getByLabel('No', { exact: true }).check();
      await page.getByLabel('x/y ~ "z"').check();
      await page.getByLabel('tuesday').check();
      await send(page);
      await page.getByText('Your answer was accepted').waitFor();
    });
  });

  it('cases 9, 10: after a failed submit the focus is on the summary, whose links lead into rows; every control has a name, and names only what is there', async () => {
    await visit(async ({ page }) => {
      await open(page);
      expect(await unnamed(page)).toEqual([]);
      await addRow(page);
      await names(page).nth(1).waitFor();
      await page.getByLabel('By card').check();
      await page.getByLabel('Card number').fill('1');
      await page.getByLabel('Age').nth(1).fill('old');
      expect(await unnamed(page)).toEqual([]);
      await send(page);
      await page.locator('#notice').waitFor();
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('notice');
      expect(await unnamed(page)).toEqual([]);
      const age = page.getByLabel('Age').nth(1);
      expect(await age.getAttribute('aria-invalid')).toBe('true');
      const described = (await age.getAttribute('aria-describedby')) ?? '';
      const told = await Promise.all(described.split(' ').map((id) => page.locator(`[id="${id}"]`).textContent()));
      expect(told.join(' ')).toContain('Age must be a whole number');
      await page.getByRole('link', { name: 'Age must be a whole number' }).click();
      await page.keyboard.type('8');
      expect(await age.inputValue()).toContain('8');
      // A branch selector is refused like any control.
      expect(await page.getByRole('group', { name: 'Payment Kind' }).count()).toBe(1);
    });
  });

  it('case 11: what contains itself opens level by level', async () => {
    await visit(async ({ page }) => {
      await open(page, 'describing');
      await page.getByRole('textbox', { name: 'Part' }).fill('engine');
      await page.getByRole('button', { name: 'Fill this in: Inside' }).click();
      await page.getByRole('textbox', { name: 'Part' }).nth(1).fill('piston');
      expect(await page.getByRole('button', { name: 'Fill this in: Inside' }).count()).toBe(1);
      await send(page);
      await page.getByText('Your answer was accepted').waitFor();
    });
  });

  it('case 15: a slow refresh moves neither focus, caret nor scroll position, and keeps what was typed meanwhile', async () => {
    await visit(async ({ page }) => {
      // Whoever wants motion is scrolled there in steps, which nobody could compare.
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await open(page);
      const answers = await slowAnswers(page);
      await page.getByLabel('other', { exact: true }).check();
      await answers.held();
      const price = page.getByLabel('Price');
      await price.focus();
      await page.keyboard.type('1234');
      await page.keyboard.press('ArrowLeft');
      const before = await page.evaluate(() => [
        window.scrollY,
        (document.activeElement as HTMLInputElement).selectionStart,
      ]);
      answers.release();
      await page.getByLabel('Explanation').waitFor();
      expect(await price.inputValue()).toBe('1234');
      expect(await price.evaluate((input) => input === document.activeElement)).toBe(true);
      expect(
        await page.evaluate(() => [window.scrollY, (document.activeElement as HTMLInputElement).selectionStart]),
      ).toEqual(before);
    });
  });

  it('case 15: a slow refresh never overwrites a later "add row", nor a removed row what is typed meanwhile', async () => {
    await visit(async ({ page }) => {
      await open(page);
      await names(page).first().fill('Ann');
      await page.getByLabel('Country').selectOption('de');
      await page.waitForLoadState('networkidle');
      const slowRefresh = await slowAnswers(page);
      await page.getByLabel('other', { exact: true }).check();
      await slowRefresh.held();
      await addRow(page);
      await addRow(page);
      slowRefresh.release();
      await names(page).nth(2).waitFor();
      await page.getByLabel('Explanation').waitFor();
      expect(await texts(page)).toEqual(['Ann', '', '']);
      // Where a row was added the person goes on.
      expect(
        await names(page)
          .nth(2)
          .evaluate((input) => input === document.activeElement),
      ).toBe(true);

      await names(page).nth(1).fill('Bo');
      await names(page).nth(2).fill('Cleo');
      await page.getByLabel('Explanation').focus();
      await page.waitForLoadState('networkidle');
      const slowRemoval = await slowAnswers(page);
      await removeRow(page, 1);
      await slowRemoval.held();
      await page.getByLabel('Explanation').fill('Snow');
      slowRemoval.release();
      await names(page).nth(2).waitFor({ state: 'detached' });
      expect(await texts(page)).toEqual(['Bo', 'Cleo']);
      expect(await page.getByLabel('Explanation').inputValue()).toBe('Snow');
    });
  });

  it('case 15: what vanishes above does not take the focus from what stays, and a removed last row leaves it at the list', async () => {
    await visit(async ({ page }) => {
      await open(page);
      await page.getByLabel('other', { exact: true }).check();
      await page.getByLabel('Explanation').waitFor();
      await page.getByLabel('Price').fill('3');
      await page.keyboard.press('Tab');
      await page.getByLabel('Currency').waitFor();
      const answers = await slowAnswers(page);
      await page.getByLabel('late', { exact: true }).check();
      await answers.held();
      await page.getByLabel('Currency').focus();
      await page.keyboard.type('EU');
      answers.release();
      await page.getByLabel('Explanation').waitFor({ state: 'detached' });
      await page.keyboard.type('R');
      expect(await page.getByLabel('Currency').inputValue()).toBe('EUR');

      await removeRow(page, 1);
      await names(page).first().waitFor({ state: 'detached' });
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Add a row');
    });
  });

  it('without script the same form changes by its buttons', async () => {
    await visit(
      async ({ page }) => {
        await open(page);
        await page.getByLabel('By transfer').check();
        await page.getByLabel('other', { exact: true }).check();
        await page.getByRole('button', { name: 'Update the form' }).click();
        await page.getByLabel('IBAN').fill('DE00');
        await page.getByLabel('Explanation').fill('Rain');
        await names(page).first().fill('Ann');
        await addRow(page);
        await names(page).nth(1).fill('Bo');
        await removeRow(page, 1);
        expect(await texts(page)).toEqual(['Bo']);
        await page.getByRole('group', { name: 'Fragile goods' }).getByLabel('Yes', { exact: true }).check();
        await send(page);
        await page.getByText('Your answer was accepted').waitFor();
      },
      { javaScriptEnabled: false },
    );
  });

  it('what is larger than a form may be is held back where it was typed', async () => {
    await visit(async ({ page }) => {
      await open(page);
      await page.getByLabel('Anything else').fill(`"${'x'.repeat(270_000)}"`);
      await send(page);
      await page.getByText('a form takes 256 KiB at most').waitFor();
      expect((await page.getByLabel('Anything else').inputValue()).length).toBeGreaterThan(270_000);
    });
  });
}

/** Controls without a name, and references to what is not there. */
function unnamed(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const text = (id: string) => document.getElementById(id)?.textContent?.trim();
    for (const control of document.querySelectorAll(
      'main :is(input:not([type="hidden"]), select, textarea, button, fieldset)',
    )) {
      if (control.closest('[hidden]') !== null) continue;
      const labels = (control as HTMLInputElement).labels ?? [];
      const name =
        control.getAttribute('aria-label') ||
        [...labels].map((label) => label.textContent?.trim()).join('') ||
        (control instanceof HTMLButtonElement ? control.textContent : '') ||
        (control instanceof HTMLFieldSetElement ? control.querySelector(':scope > legend')?.textContent : '');
      if (!name?.trim()) faults.push(`no name: ${control.outerHTML.slice(0, 120)}`);
      for (const id of (control.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean)) {
        if (!text(id)) faults.push(`describes by nothing: ${id}`);
      }
    }
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    return [...faults, ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `twice: ${id}`)];
  });
}

/** The service answers at once, and the next answer arrives only when it is let through. */
async function slowAnswers(page: Page): Promise<{ held(): Promise<void>; release(): void }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = () => {};
  const held = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const hold = async (route: Route) => {
    const response = await route.fetch();
    arrived();
    await released;
    await route.fulfill({ response });
  };
  await page.route('**/answer', hold, { times: 1 });
  return { held: () => held, release };
}
