import { ADMIN_TOKEN, HttpService } from '../http/http-service.js';
import { Browser } from '../support/browser.js';

/* An address with a slip in it, typed or followed by a person. */

let service: HttpService;
beforeAll(async () => {
  service = await HttpService.start();
});
afterAll(() => service.stop());

describe('an address below the pages that is none of them', () => {
  it.each(['/inbox/nowhere', '/inbox/nowhere/at/all', '/inbox/runs/x/decision', '/inbox/admin/nothing'])(
    'is a page that says so: %s',
    async (path) => {
      const browser = new Browser();
      const from = service.address;
      await browser.go(`${from}/inbox/sign-in`, { method: 'POST', from, fields: { token: ADMIN_TOKEN } });
      const { status, headers, text } = await browser.go(from + path);
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(text).toContain('There is no such page, or it is not for you');
    },
  );

  it('leads to the sign-in whoever is not signed in, and is a problem of the interface elsewhere', async () => {
    const stranger = await new Browser().go(`${service.address}/inbox/nowhere`);
    expect([stranger.status, stranger.location]).toEqual([303, '/inbox/sign-in?to=%2Fnowhere']);
    expect((await service.call('GET', '/nowhere')).body.code).toBe('not-found');
  });
});
