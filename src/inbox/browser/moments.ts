const EVERY_MS = 15_000;

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** Moments in the reader's own zone, and how long ago they were, for as long as the page is open. */
export function keepMomentsCurrent(): void {
  showMoments();
  setInterval(showMoments, EVERY_MS);
}

export function showMoments(): void {
  const language = readersLanguage(document.documentElement.lang);
  const zoned = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  for (const time of document.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    if ('ago' in time.dataset) {
      show(time, ago(relative, at.getTime()));
      time.title = zoned.format(at);
    } else {
      show(time, zoned.format(at));
      time.title = time.dateTime;
    }
  }
}

/** The page's language, as it is written where the reader lives. */
function readersLanguage(language: string): string {
  return navigator.languages.find((one) => one === language || one.startsWith(`${language}-`)) ?? language;
}

/** Text that has not changed is left alone, so that a selection in it stays. */
function show(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function ago(relative: Intl.RelativeTimeFormat, at: number): string {
  const passed = Math.max(0, Date.now() - at);
  const [unit, size] = UNITS.find(([, ms]) => passed >= ms) ?? ['second', 1_000];
  return relative.format(-Math.floor(passed / size), unit);
}
