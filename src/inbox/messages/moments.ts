import type { Language } from './language.js';

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** How long ago, in the largest unit that fits. */
export function ago(language: Language, at: string, nowMs: number): string {
  const passed = Math.max(0, nowMs - Date.parse(at));
  const [unit, size] = UNITS.find(([, ms]) => passed >= ms) ?? ['second', 1_000];
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-Math.floor(passed / size), unit);
}

/** Day and time in UTC, which the page turns into the person's own zone where it can. */
export function moment(language: Language, at: string): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    timeZone: 'UTC',
  })
    .format(new Date(at))
    .concat(' UTC');
}
