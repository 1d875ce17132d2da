import { applyDecorators, UseGuards } from '@nestjs/common';
import { PagesForSignedIn } from '../pages/page.decorators.js';
import { AdminGuard } from './admin.guard.js';

/** Pages for administrators; for everybody else they are not. */
export function PagesForAdmins() {
  // Guards are asked in this order: who somebody is, then what they may.
  return applyDecorators(PagesForSignedIn(), UseGuards(AdminGuard));
}
