import type { Request } from './service.js';

/** Status, method, path and the rest of a request. */
export type RefusedRequest = readonly [status: number, method: string, path: string, request: Request];

/**
 * Requests that the interface refuses (and the last one, of which it passes over the headers), with words of the client in
 * every place that a request has.
 *
 * @param at the word for a place; letters, digits and hyphens
 */
export function refusedRequests(at: (place: string) => string): RefusedRequest[] {
  const runs = '/api/v1/runs';
  const body = { configurationId: 'scripted', input: at('refused-input') };
  return [
    [401, 'GET', runs, { token: at('token') }],
    [401, 'GET', runs, { token: null, headers: { authorization: `Basic ${btoa(at('password'))}` } }],
    [404, 'GET', `/${at('path')}`, {}],
    [404, 'POST', `${runs}/${at('path-in-runs')}/unknown`, { body }],
    [404, 'GET', `${runs}/${at('run-id')}`, {}],
    [404, 'GET', `${runs}/%20${at('no-run-id')}`, {}],
    [404, 'GET', `/api/v1/configurations/${at('record-id')}`, {}],
    [400, 'GET', `/api/v1/configurations/${at('no-record-id')}.`, {}],
    [400, 'GET', `${runs}?status=${at('status')}`, {}],
    [400, 'GET', `${runs}?${at('query-name')}=${at('query')}`, {}],
    [400, 'GET', `/api/v1/inbox?cursor=${at('cursor')}`, {}],
    [400, 'GET', `/${'%'}${at('bad-escape')}`, {}],
    [414, 'GET', `${runs}/${at('long').padEnd(3_000, 'x')}`, {}],
    [400, 'POST', runs, { body, headers: { 'idempotency-key': `${at('bad')} key` } }],
    [400, 'POST', runs, { body: { ...body, [at('member')]: 1 } }],
    [400, 'POST', runs, { body: { ...body, configurationId: `${at('configuration')}!` } }],
    [400, 'POST', runs, { body: { ...body, allowedTools: [at('tool')] } }],
    [409, 'POST', runs, { body: { ...body, configurationId: 'none' } }],
    [413, 'POST', runs, { body: at('too-large').repeat(10_000) }],
    [415, 'POST', runs, { body: at('plain'), headers: { 'content-type': `text/${at('type')}` } }],
    [400, 'PUT', '/api/v1/configurations/c', { body: { provider: { kind: at('kind') } } }],
    [
      400,
      'PUT',
      '/api/v1/configurations/c',
      { body: { provider: { kind: 'scripted', turns: [{ calls: at('calls') }] }, trustZone: at('zone') } },
    ],
    [400, 'PUT', '/api/v1/principals/p', { body: { kind: at('principal-kind'), enabled: 'yes' } }],
    [
      400,
      'PUT',
      '/api/v1/principals/p',
      { body: { kind: 'person', enabled: true }, headers: { 'if-match': at('tag') } },
    ],
    [200, 'GET', '/api/v1/me', { headers: { 'x-request-id': `${at('request id')} `, prefer: at('prefer') } }],
  ];
}
