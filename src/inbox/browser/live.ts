import { showMoments } from './moments.js';
import { fetchPage } from './page-source.js';
import { patch } from './patch.js';
import { type Change, openStream } from './stream.js';

/** Changes come in bursts; a page looks once for all of them. */
const SETTLE_MS = 250;

/** Keeps a page current without ever moving focus, caret, scroll position or a row under the pointer. */
export function followChanges(): void {
  const { stream, run } = document.body.dataset;
  if (stream === undefined) return;
  let timer: number | undefined;
  const look = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void (run === undefined ? lookAtList() : lookAtRun()), SETTLE_MS);
  };
  openStream(stream, {
    changed: (change: Change) => {
      if (run === undefined || change.runId === run) look();
    },
    connected: () => {
      say('connection', '');
      // What happened before, since the page was made or while the connection was lost, was told to nobody.
      look();
    },
    lost: () => say('connection', document.body.dataset.offline ?? ''),
  });
  // Where another page keeps the connection, it has been there all along.
  look();
}

function say(id: string, text: string): void {
  const place = document.getElementById(id);
  if (place !== null && place.textContent !== text) place.textContent = text;
}

/** New requests are announced and shown when the person asks for them; rows that wait no more are marked where they are. */
async function lookAtList(): Promise<void> {
  const page = await fetchPage(location.href);
  const fresh = page?.getElementById('content') ?? null;
  if (fresh === null) return;
  const here = itemsIn(document);
  const there = itemsIn(fresh);
  for (const [id, item] of here) {
    item.classList.toggle('gone', !there.has(id));
    item.toggleAttribute('data-gone', !there.has(id));
  }
  const arrived = [...there.keys()].filter((id) => !here.has(id)).length;
  offer('arrived', arrived === 0 ? null : arrivedText(arrived), () => take(fresh));
}

function itemsIn(part: ParentNode): Map<string, Element> {
  return new Map([...part.querySelectorAll('[data-item]')].map((item) => [item.getAttribute('data-item') ?? '', item]));
}

function arrivedText(count: number): string {
  const { arrivedOne = '', arrivedMany = '' } = document.body.dataset;
  return count === 1 ? arrivedOne : arrivedMany.replace('#', String(count));
}

/** A run that asks nothing is simply shown as it is now; a form that somebody fills in is left alone, and they are told. */
async function lookAtRun(): Promise<void> {
  const page = await fetchPage(location.href);
  const fresh = page?.getElementById('content') ?? null;
  if (page === null || fresh === null || page.body.dataset.revision === document.body.dataset.revision) return;
  const form = document.querySelector<HTMLFormElement>('form#answer');
  if (form === null) {
    take(fresh, page);
    return;
  }
  const turn = (part: ParentNode) => part.querySelector<HTMLInputElement>('#answer input[name="turn"]')?.value;
  if (turn(fresh) === turn(document)) return;
  say('changed', document.body.dataset.changed ?? '');
  const hasDraft = [...form.elements].some(isTypedInto);
  if (!hasDraft) offer('changed', document.body.dataset.reload ?? '', () => location.reload(), false);
  // The server carries what was typed over to what is asked now.
  else offer('changed', document.body.dataset.reload ?? '', () => plainSubmit(form), false);
}

function isTypedInto(control: Element): boolean {
  if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue;
  if (control instanceof HTMLSelectElement)
    return [...control.options].some((option) => option.selected !== option.defaultSelected);
  if (!(control instanceof HTMLInputElement) || control.type === 'hidden') return false;
  return control.value !== control.defaultValue || control.checked !== control.defaultChecked;
}

function plainSubmit(form: HTMLFormElement): void {
  const intent = document.createElement('input');
  intent.type = 'hidden';
  intent.name = 'intent';
  intent.value = 'refresh';
  form.append(intent);
  form.submit();
}

/** A button that shows what is new; null takes it away. */
function offer(id: string, text: string | null, act: () => void, alone = true): void {
  const place = document.getElementById(id);
  if (place === null) return;
  if (alone) place.replaceChildren();
  if (text === null) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.addEventListener('click', act, { once: true });
  place.append(' ', button);
}

function take(fresh: Element, page?: Document): void {
  const content = document.getElementById('content');
  if (content === null) return;
  patch(content, fresh, false);
  if (page !== undefined) {
    document.title = page.title;
    document.body.dataset.revision = page.body.dataset.revision ?? '';
  }
  showMoments();
}
