import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A reverse proxy that has one service below a path, as operators put several behind one address: it takes the prefix
 * off, and answers 404 for everything that is not below it.
 */
export class ReverseProxy {
  private target: URL | null = null;
  /** Paths that were asked for and are not below the prefix. */
  readonly astray: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly prefix: string,
  ) {}

  static async start(prefix: string): Promise<ReverseProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new ReverseProxy(server, prefix);
    server.on('request', (incoming, outgoing) => {
      const path = incoming.url ?? '/';
      if (proxy.target === null || !(path === prefix || path.startsWith(`${prefix}/`))) {
        proxy.astray.push(path);
        outgoing.writeHead(404).end();
        return;
      }
      const { host: _public, ...headers } = incoming.headers;
      const options = { method: incoming.method, headers: { ...headers, host: proxy.target.host } };
      const sent = forward(new URL(path.slice(prefix.length) || '/', proxy.target), options, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      sent.on('error', () => outgoing.destroy());
      outgoing.on('close', () => sent.destroy());
      incoming.pipe(sent);
    });
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The public address of the service. */
  get address(): string {
    return this.origin + this.prefix;
  }

  forwardTo(address: string): void {
    this.target = new URL(address);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
