import { refreshForms } from './form-refresh.js';
import { followChanges } from './live.js';
import { keepMomentsCurrent } from './moments.js';
import { holdBackOversize } from './oversize.js';
import { listenForKeys } from './shortcuts.js';

/** Everything here makes a page that works without it more comfortable. */
document.documentElement.classList.add('scripted');
document.getElementById('notice')?.focus();
keepMomentsCurrent();
holdBackOversize();
refreshForms();
followChanges();
listenForKeys();
