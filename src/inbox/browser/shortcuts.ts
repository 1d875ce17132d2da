const SETTING = 'holdpoint-single-keys';

/** Keys to move about with. None of them sends anything, they are dead while somebody types, and can be switched off. */
export function listenForKeys(): void {
  const help = document.querySelector<HTMLDialogElement>('dialog#keys');
  const toggle = document.querySelector<HTMLInputElement>('#single-keys');
  if (help === null || toggle === null) return;
  toggle.checked = localStorage.getItem(SETTING) !== 'off';
  toggle.addEventListener('change', () => localStorage.setItem(SETTING, toggle.checked ? 'on' : 'off'));
  document.getElementById('show-keys')?.addEventListener('click', () => help.showModal());
  document.addEventListener('keydown', (event) => {
    if (!toggle.checked || help.open || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
      return;
    if (press(event.key, help)) event.preventDefault();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}

function press(key: string, help: HTMLDialogElement): boolean {
  switch (key) {
    case 'j':
      return move(1);
    case 'k':
      return move(-1);
    case '/': {
      const search = document.querySelector<HTMLInputElement>('input[type="search"]');
      search?.focus();
      return search !== null;
    }
    case '?':
      help.showModal();
      return true;
    default:
      return false;
  }
}

function move(by: number): boolean {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('a.item-link')];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  const next = at === -1 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1);
  links[next]?.focus();
  return links.length > 0;
}
