/** More than the service takes would never arrive, and what was typed would be lost with it: it is said before. */
export function holdBackOversize(): void {
  const { mostBytes = '', tooLarge = '' } = document.body.dataset;
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target;
      if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
      form.querySelector('.too-large')?.remove();
      if (bytesOf(form) <= Number(mostBytes)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const words = document.createElement('p');
      words.className = 'fault too-large';
      words.setAttribute('role', 'alert');
      words.textContent = tooLarge;
      (event.submitter?.parentElement ?? form).before(words);
    },
    // Before whatever else listens.
    { capture: true },
  );
}

function bytesOf(form: HTMLFormElement): number {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) body.append(name, String(value));
  return body.toString().length;
}
