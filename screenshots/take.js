// @ts-check
/*
 * Takes the pictures of the inbox: `npm run screenshots [folder]`. It starts a service of its own in a temporary folder
 * with the demonstration, walks through it in Chromium, and writes PNG files in light and dark, for desktop and phone.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const MAIN = join(import.meta.dirname, '..', 'dist', 'main.js');
const folder = process.argv[2] ?? join(import.meta.dirname, '..', 'docs', 'screenshots');
const CHROMIUM = process.env.HOLDPOINT_CHROMIUM ?? '/usr/bin/chromium';
const SCREENS = [
  { name: 'desktop', width: 1280, height: 900 },
  { name: 'phone', width: 390, height: 844 },
];

/** One sign-in is enough: the link works once. */
let session = /** @type {import('playwright-core').Cookie[]} */ ([]);

const data = mkdtempSync(join(tmpdir(), 'holdpoint-screenshots-'));
mkdirSync(folder, { recursive: true });
const service = spawn(process.execPath, [MAIN, '--demonstrate'], {
  env: { PATH: process.env.PATH, PORT: '0', HOLDPOINT_DATA_DIR: data },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] });
try {
  const { address, link } = await started();
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    for (const { name, width, height } of SCREENS) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, locale: 'en-GB', timezoneId: 'Europe/Berlin' });
      const page = await context.newPage();
      const shot = (/** @type {string} */ what) =>
        page.screenshot({ path: join(folder, `${what}-${name}-${colorScheme}.png`), fullPage: true });
      await walk(page, shot, address, link);
      await context.close();
    }
  }
} finally {
  await browser.close();
  service.kill('SIGTERM');
  await new Promise((resolve) => service.once('exit', resolve));
  rmSync(data, { recursive: true, force: true });
}



/** @returns {Promise<{ address: string, link: string }>} */
function started() {
  return new Promise((resolve, reject) => {
    let address = '';
    service.once('exit', () => reject(new Error('the service ended before it listened')));
    createInterface({ input: service.stdout }).on('line', (line) => {
      address ||= /listens on (http:\/\/\S+)/.exec(line)?.[1] ?? '';
      const link = /Link that signs .*: (http:\S+)/.exec(line)?.[1];
      if (link !== undefined) resolve({ address, link });
    });
  });
}

/**
 * @param {import('playwright-core').Page} page
 * @param {(what: string) => Promise<Buffer>} shot
 * @param {string} address
 * @param {string} link
 */
async function walk(page, shot, address, link) {
  const inbox = `${address}/inbox`;
  if (session.length === 0) {
    await page.goto(link);
    await shot('sign-in');
    await page.getByRole('button', { name: 'Sign in with this link' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    session = await page.context().cookies();
  } else {
    await page.context().addCookies(session);
    await page.goto(inbox);
  }
  await start(page, inbox, 'demo');
  const input = page.url();
  await start(page, inbox, 'demo-refund');
  const approval = page.url();
  await page.goto(inbox);
  await shot('inbox');
  await page.goto(input);
  await shot('input');
  await page.getByLabel('Floor').fill('high up');
  await page.getByLabel('Yes').click();
  await page.getByRole('button', { name: 'Send the answer' }).click();
  await page.getByText('things have to be corrected').waitFor();
  await shot('422');
  const other = await page.context().newPage();
  await other.goto(input);
  await other.getByLabel('Day').fill('2030-05-02');
  await other.getByLabel('morning').click();
  await other.getByRole('button', { name: 'Send the answer' }).click();
  await other.getByText('Your answer was accepted').waitFor();
  await other.close();
  await page.getByLabel('Day').fill('2030-05-03');
  await page.getByLabel('Floor').fill('4');
  await page.getByLabel('evening').click();
  await page.getByRole('button', { name: 'Send the answer' }).click();
  await page.getByText('Already answered').waitFor();
  await shot('409');
  await page.goto(approval);
  await page.getByLabel('Comment').fill('The photographs show the damage.');
  await shot('approval');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  await shot('timeline');
  await administer(page, shot, `${inbox}/admin`);
}

/**
 * The pages for administrators. What they show is made on the first walk and found on the others.
 *
 * @param {import('playwright-core').Page} page
 * @param {(what: string) => Promise<Buffer>} shot
 * @param {string} admin
 */
async function administer(page, shot, admin) {
  const isThere = async (/** @type {string} */ record) => (await page.goto(`${admin}/${record}`))?.status() === 200;
  const save = async () => {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
  };
  if (!(await isThere('snippets/house-rules'))) {
    await page.goto(`${admin}/new/snippets`);
    await page.locator('input[name="record"]').fill('house-rules');
    await page.getByLabel('Name').fill('House rules');
    await page.getByLabel('Text').fill('Be brief and friendly.\nNever promise a date that nobody has confirmed.');
    await page.getByLabel('Data class').selectOption('diagnostics');
    await save();
  }
  if (!(await isThere('configurations/support'))) {
    await page.goto(`${admin}/new/configurations`);
    await page.locator('input[name="record"]').fill('support');
    await page.getByLabel('A server that speaks').click();
    await page.getByLabel('Address').fill('https://models.example.com/v1');
    await page.getByLabel('Model').fill('mistral-large');
    await page.getByLabel('external_eu').click();
    await page.getByRole('button', { name: 'Add a row: Snippets' }).click();
    await page.locator('input[name="/snippetIds/0"]').fill('house-rules');
    await page.getByLabel('System prompt').fill('You answer customers of a bicycle shop.');
    await save();
  }
  if (!(await isThere('principals/olga'))) {
    await page.goto(`${admin}/new/principals`);
    await page.locator('input[name="record"]').fill('olga');
    await page.getByLabel('Person').click();
    await page.getByLabel('May answer the runs of others').click();
    await save();
    await page.getByLabel('Name').fill('laptop');
    await page.getByRole('button', { name: 'Issue a token' }).click();
    await page.getByLabel('The token').waitFor();
  }
  await page.goto(`${admin}/configurations/support`);
  await shot('administration');
  await page.goto(`${admin}/principals/olga`);
  await shot('people');
  await page.goto(`${admin}/snippets/house-rules/edit`);
  const other = await page.context().newPage();
  await other.goto(page.url());
  const text = other.getByLabel('Text');
  // Back and forth from walk to walk, so that there is always a difference to see.
  const [rules, signed] = (await text.inputValue()).split('\nSign with');
  await text.fill(signed === undefined ? `${rules}\nSign with the name of the shop.` : String(rules));
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByText('Saved.').waitFor();
  await other.close();
  await page.getByLabel('Name').fill('Rules of the house');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else has changed this meanwhile').waitFor();
  await shot('conflict');
}

/**
 * @param {import('playwright-core').Page} page
 * @param {string} inbox
 * @param {string} configuration
 */
async function start(page, inbox, configuration) {
  await page.goto(`${inbox}/start`);
  await page.getByLabel('Configuration').fill(configuration);
  await page.getByLabel('Task').fill('Please see to it.');
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.locator('form#answer').waitFor();
}
