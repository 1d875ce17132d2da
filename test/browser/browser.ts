import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { compileOnBuild } from '../support/compiled-processes.js';
import { ADMIN_TOKEN, Service, type ServiceOptions } from '../support/service.js';

const CHROMIUM = process.env.HOLDPOINT_CHROMIUM ?? '/usr/bin/chromium';
const AXE = readFileSync(createRequire(join(process.cwd(), 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');

/** Of a page that is to show something, on a busy machine. */
const PATIENCE_MS = 15_000;

/** A service with the demonstration and the tools of the form tests, and a Chromium that looks at it. */
export class InboxInBrowser {
  private constructor(
    private running: Service,
    private readonly options: ServiceOptions,
    private readonly browser: Awaited<ReturnType<typeof chromium.launch>>,
    private readonly folder: string,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<InboxInBrowser> {
    if (!existsSync(CHROMIUM)) {
      throw new Error(
        `There is no Chromium at ${CHROMIUM}. On Debian: apt-get install -y --no-install-recommends chromium; elsewhere name one with HOLDPOINT_CHROMIUM.`,
      );
    }
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-browser-'));
    const program = compileOnBuild(join(folder, 'program'), 'service-with-form-tools');
    // A short lease, so that what a killed process held comes back soon.
    const options = {
      dataDir: join(folder, 'data'),
      program,
      env: { HOLDPOINT_DEMO: '1', HOLDPOINT_LEASE_SECONDS: '2', ...env },
    };
    const service = await Service.start(options);
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
    return new InboxInBrowser(service, options, browser, folder);
  }

  get service(): Service {
    return this.running;
  }

  /** Where the service keeps its files. */
  get dataDir(): string {
    return this.options.dataDir;
  }

  /** Takes the service away. It can be brought back where it was. */
  async takeAway(): Promise<void> {
    await this.running.kill();
  }

  /** Waits for the end of a process that something else has ended. */
  async waitUntilGone(): Promise<void> {
    await this.running.ended();
  }

  /** The service again, on the same data at the same address. */
  async bringBack(): Promise<void> {
    const { port } = new URL(this.running.address);
    this.running = await Service.start({ ...this.options, env: { ...this.options.env, PORT: port } });
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.running.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  url(below = ''): string {
    return `${this.service.address}/inbox${below}`;
  }

  /** A browser of its own in which nobody is signed in. */
  async stranger(options: BrowserContextOptions = {}): Promise<Visitor> {
    const context = await this.browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options });
    const complaints = await complaintsOf(context);
    context.setDefaultTimeout(PATIENCE_MS);
    return new Visitor(context, await context.newPage(), complaints);
  }

  /** A browser of its own in which somebody is signed in. */
  async visitor(options: BrowserContextOptions = {}, token = ADMIN_TOKEN): Promise<Visitor> {
    const visitor = await this.stranger(options);
    await visitor.page.goto(this.url('/sign-in'));
    await visitor.page.getByLabel('Access token').fill(token);
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByRole('heading', { name: 'Inbox' }).waitFor();
    // By then its module has run, where there is script.
    await visitor.page.waitForLoadState();
    return visitor;
  }

  /** A configuration whose model says these turns, and then ends. */
  async configure(id: string, turns: readonly object[], more: object = {}): Promise<void> {
    const provider = { kind: 'scripted', turns: [...turns, { text: 'The end of it.' }] };
    const put = await this.service.call('PUT', `/configurations/${id}`, { provider, trustZone: 'local', ...more });
    if (put.status >= 400) throw new Error(`configuration ${id}: ${put.text}`);
  }

  /** A run that has paused or settled, started over the interface. @param more of the request, and whose token starts it */
  async run(
    configurationId: string,
    more: { readonly token?: string; readonly [name: string]: unknown } = {},
  ): Promise<string> {
    const { token, ...body } = { input: 'go', ...more, configurationId };
    const headers = { prefer: 'wait=20' };
    return (await this.service.request('POST', '/api/v1/runs', { body, headers, token })).body.id;
  }
}

/** All that browsers complain of: scripts that fail, and whatever the policy of the pages forbids. */
async function complaintsOf(context: BrowserContext): Promise<string[]> {
  const complaints: string[] = [];
  await context.exposeFunction('holdpointTestComplains', (text: string) => complaints.push(text));
  await context.addInitScript(() => {
    const { holdpointTestComplains } = window as unknown as { holdpointTestComplains(text: string): void };
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      holdpointTestComplains(`${violatedDirective} ${blockedURI} ${sample}`),
    );
  });
  context.on('console', (message) => {
    if (/Content.Security|Trusted|Refused to|violat/.test(message.text())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  return complaints;
}

/** Somebody who looks at pages, and all that the browser has complained of meanwhile. */
export class Visitor {
  constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    readonly complaints: readonly string[],
  ) {}

  async leave(): Promise<void> {
    await this.context.close();
  }

  /** What axe-core finds wrong with the page, by rule. @param rules absent: all that there are */
  async axe(rules?: readonly string[]): Promise<string[]> {
    // Into the page from outside of it: its policy lets no script of anybody else in.
    if (!(await this.page.evaluate(() => 'axe' in window))) await this.page.evaluate(AXE);
    const found = await this.page.evaluate((only) => {
      const { axe } = window as unknown as {
        axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      return axe.run({ resultTypes: ['violations'], ...(only === undefined ? {} : { runOnly: [...only] }) });
    }, rules);
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  }

  /** Whether something sticks out sideways. */
  sticksOut(): Promise<boolean> {
    return this.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  }
}
