import type { Principal } from '../../governance/principal.js';
import type { Catalogue } from '../messages/en.js';
import type { Language } from '../messages/language.js';

/** For whom a page is made, in which words, and when. */
export interface Visit {
  /** Null: nobody is signed in. */
  readonly caller: Principal | null;
  readonly language: Language;
  readonly t: Catalogue;
  readonly nowMs: number;
  /** Path and query of the page below `/inbox`, to come back to. */
  readonly here: string;
  /** The address of a page, as browsers see it. */
  path(below?: string): string;
}
