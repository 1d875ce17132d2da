import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { problemSchemas } from './problem-schemas.js';

/** Where the document is read, and where people read it. */
const OPENAPI_PATH = 'api/openapi.json';
export const DOCS_PATH = 'api/docs';

/** @param baseUrl public address, with path prefix; undefined: that of the request */
function openApiDocument(app: INestApplication, baseUrl: string | undefined): OpenAPIObject {
  const outline = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Holdpoint')
    .setDescription('Runs of AI agents that stop and wait for people.')
    .setVersion('v1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth()
    .addServer(baseUrl ?? '/')
    .build();
  const document = SwaggerModule.createDocument(app, outline, {
    operationIdFactory: (controller, method) => `${method}${controller.replace(/Controller$/, '')}`,
  });
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...problemSchemas() },
  };
  return document;
}

/** Serves the document and a page to read it with. */
export function serveOpenApi(app: INestApplication, baseUrl: string | undefined): void {
  SwaggerModule.setup(DOCS_PATH, app, () => openApiDocument(app, baseUrl), {
    raw: ['json'],
    jsonDocumentUrl: OPENAPI_PATH,
    customSiteTitle: 'Holdpoint',
    // The page's icons are hidden by an attribute that the content policy does not let through.
    customCss: 'body > svg { position: absolute; width: 0; height: 0 } .swagger-ui .topbar { display: none }',
    swaggerOptions: { validatorUrl: null },
  });
}
