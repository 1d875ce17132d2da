import { fetchPage } from './page-source.js';
import { patch } from './patch.js';

/**
 * Shows and hides fields while a form is filled in, and adds and removes rows, without loading the page again. The server
 * makes the form, here as without script. Nothing that was asked or typed later is ever overwritten by an answer that
 * comes late.
 */
export function refreshForms(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-refresh]');
  if (form === null) return;
  const refresher = new FormRefresher(form);
  form.addEventListener('change', () => refresher.ask('refresh'));
  form.addEventListener('submit', (event) => {
    const button = event.submitter instanceof HTMLButtonElement ? event.submitter : null;
    if (button === null || button.value === 'send') return;
    event.preventDefault();
    refresher.ask(button.value);
  });
}

class FormRefresher {
  /** Counts what was asked and done: an answer is only used where nothing came after its question. */
  private asked = 0;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly form: HTMLFormElement) {}

  ask(intent: string): void {
    const number = ++this.asked;
    // One after the other: each question is about the form as the one before has left it.
    this.work = this.work.then(() => this.answer(intent, number));
  }

  private async answer(intent: string, number: number): Promise<void> {
    const isRefresh = intent === 'refresh';
    // A refresh is only worth something as the last question.
    if (isRefresh && number !== this.asked) return;
    const body = this.filledIn();
    const before = body.toString();
    body.set('intent', intent);
    const page = await fetchPage(this.form.action, { method: 'POST', body });
    const fresh = page?.getElementById(this.form.id) ?? null;
    if (fresh === null) {
      // The page that says why is the answer: an ended session, another turn, a service that is away.
      if (!isRefresh) this.submitPlainly(intent);
      return;
    }
    if (isRefresh && number !== this.asked) return;
    const turn = (form: Element) => form.querySelector<HTMLInputElement>('input[name="turn"]')?.value;
    if (turn(fresh) !== turn(this.form)) return;
    const removes = intent.startsWith('remove');
    // Texts move up with their rows, so that the answer must be about the texts that stand there now.
    if (removes && this.filledIn().toString() !== before) return this.answer(intent, number);
    patch(this.form, fresh, removes);
    const pointer = intent.slice(intent.indexOf(' ') + 1);
    if (removes) this.keepFocusAt(pointer);
    else if (!isRefresh) this.focusNew(pointer);
  }

  private filledIn(): URLSearchParams {
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(this.form)) body.append(name, String(value));
    return body;
  }

  /** Into what was asked for, which is where the person goes on. */
  private focusNew(pointer: string): void {
    const rows = this.form.querySelectorAll<HTMLElement>('[data-field]');
    const inside = [...rows].filter((row) => row.dataset.field?.startsWith(`row ${pointer}/`));
    const place = inside.at(-1) ?? [...rows].find((row) => row.dataset.field === pointer);
    place?.querySelector<HTMLElement>('input:not([type="hidden"]), select, textarea')?.focus();
  }

  /** The button that had it may be gone with its row. */
  private keepFocusAt(pointer: string): void {
    if (document.activeElement !== document.body && document.activeElement !== null) return;
    const buttons = [...this.form.querySelectorAll<HTMLButtonElement>('button[name="intent"]')];
    const add = buttons.find(({ value }) => value === `add ${pointer}`);
    const rest = buttons.filter(({ value }) => value.startsWith('remove') && value.endsWith(` ${pointer}`));
    (add ?? rest.at(-1))?.focus();
  }

  private submitPlainly(intent: string): void {
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = 'intent';
    field.value = intent;
    this.form.append(field);
    this.form.submit();
  }
}
