import { applyDecorators, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Everybody } from '../../http/admission.js';
import { SameOriginGuard } from '../session/same-origin.guard.js';
import { PageFilter } from './page.filter.js';
import { SignedInGuard } from './signed-in.guard.js';

/** Pages for somebody who is signed in. The interface's tokens count for nothing here, nor a session there. */
export function PagesForSignedIn() {
  return applyDecorators(
    ApiExcludeController(),
    Everybody(),
    UseFilters(PageFilter),
    UseGuards(SameOriginGuard, SignedInGuard),
  );
}

/** Pages and parts of pages for everybody. */
export function PagesForEverybody() {
  return applyDecorators(ApiExcludeController(), Everybody(), UseFilters(PageFilter), UseGuards(SameOriginGuard));
}
