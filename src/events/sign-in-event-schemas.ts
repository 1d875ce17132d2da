import type { EventDeclaration, Schema } from './catalogue.js';
import { record } from './record-schema.js';
import type { SignInEventType } from './sign-in-events.js';

/* The JSON Schema of each event about signing in, checked before every append and after every read. */

const recordId: Schema = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
const time: Schema = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' };
const hash: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };

const credential: Schema = {
  oneOf: [
    record({ kind: { const: 'token' }, tokenId: recordId }),
    record({ kind: { const: 'link' } }),
    record({ kind: { const: 'subject' }, hash }),
  ],
};

export const SIGN_IN_EVENTS: { readonly [Name in SignInEventType['type']]: EventDeclaration } = {
  SubjectClaimed: { schemaVersion: 1, data: record({ principalId: recordId }) },
  SignInLinkIssued: { schemaVersion: 1, data: record({ principalId: recordId, expiresAt: time }) },
  SignInLinkUsed: { schemaVersion: 1, data: record({}) },
  SessionBegun: { schemaVersion: 1, data: record({ principalId: recordId, credential, expiresAt: time }) },
  SessionEnded: { schemaVersion: 1, data: record({}) },
};
