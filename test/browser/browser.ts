import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { ADMIN_TOKEN, Service } from '../support/service.js';

const CHROMIUM = process.env.HOLDPOINT_CHROMIUM ?? '/usr/bin/chromium';
const AXE = readFileSync(createRequire(join(process.cwd(), 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');

/** A service with the demonstration, and a Chromium that looks at it. */
export class InboxInBrowser {
  private constructor(
    readonly service: Service,
    private readonly browser: Awaited<ReturnType<typeof chromium.launch>>,
    private readonly data: string,
  ) {}

  static async start(): Promise<InboxInBrowser> {
    if (!existsSync(CHROMIUM)) {
      throw new Error(
        `There is no Chromium at ${CHROMIUM}. On Debian: apt-get install -y --no-install-recommends chromium; elsewhere name one with HOLDPOINT_CHROMIUM.`,
      );
    }
    const data = mkdtempSync(join(tmpdir(), 'holdpoint-browser-'));
    const service = await Service.start({ dataDir: data, env: { HOLDPOINT_DEMO: '1' } });
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    return new InboxInBrowser(service, browser, data);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.service.stop();
    rmSync(this.data, { recursive: true, force: true });
  }

  url(below = ''): string {
    return `${this.service.address}/inbox${below}`;
  }

  /** A browser of its own in which somebody is signed in. */
  async visitor(options: BrowserContextOptions = {}, token = ADMIN_TOKEN): Promise<Visitor> {
    const context = await this.browser.newContext({ locale: 'en-GB', ...options });
    const visitor = new Visitor(context, await context.newPage());
    await visitor.page.goto(this.url('/sign-in'));
    await visitor.page.getByLabel('Access token').fill(token);
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByRole('heading', { name: 'Inbox' }).waitFor();
    return visitor;
  }

  /** A run that waits, started over the interface. */
  async waitingRun(configurationId: string): Promise<string> {
    const body = { configurationId, input: 'go' };
    return (await this.service.call('POST', '/runs', body, { prefer: 'wait=20' })).body.id;
  }
}

/** Somebody who looks at pages, and all that the browser has complained of meanwhile. */
export class Visitor {
  readonly complaints: string[] = [];

  constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {
    context.on('console', (message) => {
      if (/Content.Security|Trusted|Refused|violat/i.test(message.text())) this.complaints.push(message.text());
    });
    context.on('weberror', (error) => this.complaints.push(String(error.error())));
  }

  async leave(): Promise<void> {
    await this.context.close();
  }

  /** What axe-core finds wrong with the page, by rule. */
  async axe(): Promise<string[]> {
    // Into the page from outside of it: its policy lets no script of anybody else in.
    await this.page.evaluate(AXE);
    const found = await this.page.evaluate(() =>
      (
        window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }
      ).axe.run(),
    );
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  }

  /** Whether something sticks out sideways. */
  sticksOut(): Promise<boolean> {
    return this.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  }
}
