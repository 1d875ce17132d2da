import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { DATA_POLICY } from '../content-policy.js';

/** A comment so often keeps the connection from being taken for dead. */
const HEARTBEAT_MS = 15_000;

export interface StreamedEvent {
  /** What a client names to go on behind it. */
  readonly id?: string;
  readonly name?: string;
  readonly data: unknown;
}

/** A stream of server-sent events as the answer to a request. From its start on the connection is its own. */
export class EventStream {
  private readonly raw: ServerResponse;
  private readonly over = new AbortController();
  private readonly heartbeat: NodeJS.Timeout;
  private readonly stop = () => this.end();

  /** @param stopping ends the stream when it fires; a client comes back, to whoever serves then */
  constructor(
    reply: FastifyReply,
    private readonly stopping: AbortSignal,
  ) {
    const headers = { ...reply.getHeaders() };
    reply.hijack();
    this.raw = reply.raw;
    this.raw.writeHead(200, {
      ...(headers as Record<string, string>),
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': DATA_POLICY,
      'X-Accel-Buffering': 'no',
    });
    this.raw.write(': connected\n\n');
    this.heartbeat = setInterval(() => this.raw.write(': still here\n\n'), HEARTBEAT_MS);
    this.raw.once('close', () => this.end());
    this.stopping.addEventListener('abort', this.stop, { once: true });
    if (this.raw.destroyed || this.stopping.aborted) this.end();
  }

  /** Fires when the client is gone, the stream was ended or the service stops. */
  get ended(): AbortSignal {
    return this.over.signal;
  }

  /** Resolves when there is room for the next one, so that a slow client is not run ahead of. */
  async send({ id, name, data }: StreamedEvent): Promise<void> {
    if (this.ended.aborted) return;
    const lines = [
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(name === undefined ? [] : [`event: ${name}`]),
      `data: ${JSON.stringify(data)}`,
    ];
    if (this.raw.write(`${lines.join('\n')}\n\n`)) return;
    await once(this.raw, 'drain', { signal: this.ended }).catch(() => {});
  }

  end(): void {
    this.stopping.removeEventListener('abort', this.stop);
    clearInterval(this.heartbeat);
    this.over.abort();
    this.raw.end();
  }
}
