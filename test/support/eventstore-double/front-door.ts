import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Stands between clients and the server, as a network does: connections can be cut at any instant, go silent, or find
 * nobody there, while the server behind keeps running.
 */
export class FrontDoor {
  readonly #pairs = new Set<readonly [client: Socket, server: Socket]>();
  readonly #server: Server;
  #port = 0;
  #frozen = false;

  constructor(private readonly serverPort: number) {
    this.#server = createServer((client) => this.#pass(client));
  }

  get port(): number {
    return this.#port;
  }

  /** @param port 0 for a free one. Opening what is open does nothing. */
  async open(port = this.#port): Promise<void> {
    if (this.#server.listening) return;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Nobody gets in, and whoever is in is thrown out. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cutAll();
    await closed;
  }

  cutAll(): void {
    for (const [client, server] of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    this.#pairs.clear();
  }

  /** No byte passes any more, in either direction, and nobody is told. */
  freeze(): void {
    this.#frozen = true;
    for (const sockets of this.#pairs) for (const socket of sockets) socket.pause();
  }

  thaw(): void {
    this.#frozen = false;
    for (const sockets of this.#pairs) for (const socket of sockets) socket.resume();
  }

  #pass(client: Socket): void {
    const server = connect(this.serverPort, '127.0.0.1');
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    const over = () => {
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const [from, to] of [pair, [server, client] as const]) {
      from.setNoDelay(true);
      from.on('data', (chunk) => {
        to.write(chunk);
      });
      from.on('error', over);
      from.on('close', over);
      if (this.#frozen) from.pause();
    }
  }
}
