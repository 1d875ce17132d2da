import type { DataKey } from '../event-store/key-store.js';
import type { ServicePurpose } from '../event-store/service-purposes.js';

/** Keys of the whole service, each for one purpose. */
export type ServiceKeys = (purpose: ServicePurpose) => DataKey;
export const SERVICE_KEYS = Symbol('service keys');
