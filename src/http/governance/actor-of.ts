import type { Actor } from '../../events/event.js';
import type { Principal } from '../../governance/principal.js';

/** Who a recorded change is put down to. */
export function actorOf({ id }: Principal): Actor {
  return { kind: 'principal', id };
}
