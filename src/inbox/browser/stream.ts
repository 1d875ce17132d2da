/** A run that the reader may see has changed. */
export interface Change {
  readonly runId: string;
}

interface Listener {
  changed(change: Change): void;
  /** For the first time, or again. */
  connected(): void;
  lost(): void;
}

type Told =
  | { readonly kind: 'change'; readonly change: Change }
  | { readonly kind: 'connected' }
  | { readonly kind: 'lost' };

/**
 * Follows the changes of runs. However many pages a browser shows, one of them keeps the connection and tells the others;
 * when it is closed, another one takes over.
 */
export function openStream(address: string, listener: Listener): void {
  const channel = new BroadcastChannel('holdpoint-stream');
  const hear = (told: Told) => {
    if (told.kind === 'change') listener.changed(told.change);
    if (told.kind === 'connected') listener.connected();
    if (told.kind === 'lost') listener.lost();
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Told>) => hear(data));
  const tell = (told: Told) => {
    channel.postMessage(told);
    hear(told);
  };
  const keep = () => connect(address, tell);
  if (navigator.locks === undefined) keep();
  else void navigator.locks.request('holdpoint-stream', () => new Promise<never>(keep));
}

/** A browser gives up for good where the answer is no stream, such as after a restart behind a proxy. */
const AGAIN_MS = 3_000;

function connect(address: string, tell: (told: Told) => void): void {
  const source = new EventSource(address);
  source.addEventListener('open', () => tell({ kind: 'connected' }));
  source.addEventListener('change', ({ data }: MessageEvent<string>) => {
    tell({ kind: 'change', change: JSON.parse(data) as Change });
  });
  source.addEventListener('error', () => {
    tell({ kind: 'lost' });
    if (source.readyState === EventSource.CLOSED) setTimeout(() => connect(address, tell), AGAIN_MS);
  });
}
