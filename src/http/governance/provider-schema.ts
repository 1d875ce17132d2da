import type { SchemaObject } from '@nestjs/swagger';

/** A provider, for the document of the interface; what is accepted is decided by the provider's own check. */
export const providerSchema: SchemaObject = {
  description: 'How the model is reached.',
  oneOf: [
    {
      type: 'object',
      title: 'scripted',
      required: ['kind', 'turns'],
      properties: {
        kind: { type: 'string', enum: ['scripted'] },
        turns: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              text: { type: 'string' },
              calls: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['toolName', 'arguments'],
                  properties: {
                    callId: { type: 'string' },
                    toolName: { type: 'string' },
                    arguments: { oneOf: [{ type: 'object', additionalProperties: true }, { type: 'string' }] },
                  },
                },
              },
              delayMs: { type: 'integer', minimum: 0 },
              error: {
                type: 'object',
                required: ['status'],
                properties: { status: { type: 'integer', minimum: 400, maximum: 599 } },
              },
            },
          },
        },
      },
    },
    {
      type: 'object',
      title: 'openai-compatible',
      required: ['kind', 'baseUrl', 'model'],
      properties: {
        kind: { type: 'string', enum: ['openai-compatible'] },
        baseUrl: { type: 'string', format: 'uri' },
        model: { type: 'string' },
        apiKeyEnv: { type: 'string', pattern: '^HOLDPOINT_PROVIDER_KEY_' },
        timeoutMs: { type: 'integer' },
      },
    },
    ...['openai', 'anthropic'].map(
      (kind): SchemaObject => ({
        type: 'object',
        title: kind,
        required: ['kind', 'model', 'apiKeyEnv'],
        properties: {
          kind: { type: 'string', enum: [kind] },
          model: { type: 'string' },
          apiKeyEnv: { type: 'string', pattern: '^HOLDPOINT_PROVIDER_KEY_' },
          baseUrl: { type: 'string', format: 'uri', description: "Left out: the service's own address." },
          timeoutMs: { type: 'integer' },
        },
      }),
    ),
  ],
};
