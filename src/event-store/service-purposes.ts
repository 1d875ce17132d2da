/** `run-ids`: by it the id of a run is made from an idempotency key, so it may never change. `sign-in attempts`: seals what a browser brings back. */
export type ServicePurpose = (typeof SERVICE_PURPOSES)[number];

/** What there are keys of the whole service for. Made from the first master key, they stay the same when that is changed. */
export const SERVICE_PURPOSES = ['run-ids', 'sign-in attempts'] as const;

/** Names a key of the whole service; a wrapped one is bound to it. */
export function serviceKeyId(purpose: ServicePurpose): string {
  return `master/${purpose}`;
}
