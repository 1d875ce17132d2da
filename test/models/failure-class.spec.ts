import fc from 'fast-check';
import { failureOfStatus, retryAfterMs } from '../../src/models/failure-class.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('the class of a status', () => {
  it.each([
    [408, 'timeout', true],
    [409, 'server_error', true],
    [429, 'rate_limited', true],
    [500, 'server_error', true],
    [503, 'server_error', true],
    [529, 'server_error', true],
    [301, 'misconfigured', false],
    [400, 'bad_request', false],
    [401, 'unauthorized', false],
    [403, 'unauthorized', false],
    [404, 'not_found', false],
    [413, 'bad_request', false],
    [422, 'bad_request', false],
  ])('CLM-5 %i is %s (retryable: %p)', (status, failureClass, retryable) => {
    expect(failureOfStatus(status)).toMatchObject({ failureClass, retryable });
  });
});

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    [' 7 ', 7_000],
    ['601', 600_000],
    ['99999999999999999999999', 600_000],
    ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['Mon, 01 Mar 2027 12:00:00 GMT', 600_000],
  ])('reads %p as %i ms', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });

  it.each([null, '', '-1', '1.5', '1e3', 'soon', '2026-03-01', 'Sun, 99 Mar 2026 12:00:30 GMT', '7, 8'])(
    'takes %p as absent',
    (header) => {
      expect(retryAfterMs(header, NOW)).toBeUndefined();
    },
  );

  it('is absent or between zero and ten minutes, whatever the header says', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.nat().map(String),
          fc.date({ noInvalidDate: true }).map((d) => d.toUTCString()),
        ),
        (header) => {
          const ms = retryAfterMs(header, NOW);
          expect(ms === undefined || (ms >= 0 && ms <= 600_000)).toBe(true);
        },
      ),
    );
  });
});
