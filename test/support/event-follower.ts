import { ADMIN_TOKEN, type Service } from './service.js';

export interface FollowedEvent {
  readonly sequence: number;
  readonly type: string;
}

/** How long a client waits before it connects again, in milliseconds. */
const RECONNECT_MS = 100;

/**
 * Follows the events of a run as a browser's `EventSource` would: whenever the stream ends, it connects again and names
 * the last event that it has, until the one that settles the run has come.
 */
export class EventFollower {
  readonly events: FollowedEvent[] = [];
  /** How often it had to connect. */
  connections = 0;
  readonly #leaving = new AbortController();
  /** Resolves when the run is settled, or the follower was told to leave. */
  readonly done: Promise<void>;

  constructor(
    private readonly service: Service,
    private readonly path: string,
  ) {
    this.done = this.#follow();
  }

  leave(): void {
    this.#leaving.abort();
  }

  async #follow(): Promise<void> {
    while (!this.#leaving.signal.aborted && !this.#isSettled()) {
      try {
        await this.#connect();
      } catch {
        // Cut off in the middle: what came before it is known by its number.
      }
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  }

  async #connect(): Promise<void> {
    this.connections += 1;
    const last = this.events[this.events.length - 1];
    const response = await fetch(`${this.service.address}/api/v1${this.path}/events`, {
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        accept: 'text/event-stream',
        ...(last === undefined ? {} : { 'last-event-id': `${last.sequence}` }),
      },
      signal: this.#leaving.signal,
    });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      return;
    }
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = `${text}${chunk}`.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    const data = /^data: (.+)$/m.exec(block)?.[1];
    if (data !== undefined) this.events.push(JSON.parse(data) as FollowedEvent);
  }

  #isSettled(): boolean {
    return this.events.some(({ type }) => ['RunCompleted', 'RunFailed', 'RunCancelled'].includes(type));
  }
}
