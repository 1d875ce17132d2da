import type { EventCatalogue } from './catalogue.js';
import { GOVERNANCE_EVENTS } from './governance-event-schemas.js';
import { REFUSAL_EVENTS } from './refusal-event-schemas.js';
import { RUN_EVENTS } from './run-event-schemas.js';
import { SIGN_IN_EVENTS } from './sign-in-event-schemas.js';

/** Every event that this version can write and read. */
export const EVENT_CATALOGUE: EventCatalogue = {
  ...RUN_EVENTS,
  ...GOVERNANCE_EVENTS,
  ...REFUSAL_EVENTS,
  ...SIGN_IN_EVENTS,
};
