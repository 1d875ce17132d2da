import { SetMetadata } from '@nestjs/common';
import type { RunAction } from '../governance/access.js';

/** Who may make a call at all, whatever it turns out to be about. */
export type Admission =
  | { readonly who: 'everybody' }
  | { readonly who: 'any_caller' }
  | { readonly who: 'admins' }
  /** Whoever may attempt this kind of action on a run (SUB-1). */
  | { readonly who: 'attempt'; readonly action: RunAction };

export const ADMISSION = Symbol('admission');

/** Without a token. */
export const Everybody = () => SetMetadata(ADMISSION, { who: 'everybody' } satisfies Admission);

/** Every enabled principal. */
export const AnyCaller = () => SetMetadata(ADMISSION, { who: 'any_caller' } satisfies Admission);

export const AdminsOnly = () => SetMetadata(ADMISSION, { who: 'admins' } satisfies Admission);

export const MayAttempt = (action: RunAction) => SetMetadata(ADMISSION, { who: 'attempt', action } satisfies Admission);
