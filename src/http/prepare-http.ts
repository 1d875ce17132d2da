import helmet from '@fastify/helmet';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DATA_POLICY, documentationPolicy } from './content-policy.js';
import { DOCS_PATH, serveOpenApi } from './documentation/openapi.js';

/**
 * Security headers and the document of the interface. To be called before the application is initialised, so that the
 * headers are on every route.
 *
 * @param baseUrl public address, with path prefix; undefined: that of the request
 */
export async function prepareHttp(app: NestFastifyApplication, baseUrl: string | undefined): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: false,
    crossOriginEmbedderPolicy: false,
    crossOriginResourcePolicy: { policy: 'same-origin' },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    // Whether the way to the client is encrypted is the proxy's business, and HSTS only means something there.
    strictTransportSecurity: false,
  });
  const server = app.getHttpAdapter().getInstance();
  server.addHook('onSend', async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    if (reply.hasHeader('Content-Security-Policy')) return;
    const isDocumentation = request.url.startsWith(`/${DOCS_PATH}`);
    reply.header('Content-Security-Policy', isDocumentation ? documentationPolicy(payload) : DATA_POLICY);
  });
  serveOpenApi(app, baseUrl);
}
