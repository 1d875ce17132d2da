import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { PageFilter } from '../pages/page.filter.js';
import { Visits } from '../pages/visits.js';
import { InboxAddress } from '../session/inbox-address.js';
import { InboxSessions } from '../session/inbox-sessions.js';
import { SameOriginGuard } from '../session/same-origin.guard.js';
import { SignInController } from './sign-in.controller.js';
import { SignIn } from './sign-in.js';
import { SignInPages } from './sign-in-pages.js';
import { StyledSignInPages } from './styled-sign-in-pages.js';

@Module({})
class SignInModule {}

/**
 * Signing in to the pages, and who is signed in. It needs, from global modules: `Principals`, `Sessions`, `SignInLinks`
 * and `IssuerSignIn`.
 *
 * @param baseUrl public address, with path prefix; undefined: that of the request
 */
export function signInModule(baseUrl: string | undefined): DynamicModule {
  const shared: Provider[] = [
    { provide: InboxAddress, useValue: new InboxAddress(baseUrl) },
    InboxSessions,
    SameOriginGuard,
  ];
  return {
    module: SignInModule,
    controllers: [SignInController],
    providers: [...shared, Visits, PageFilter, SignIn, { provide: SignInPages, useClass: StyledSignInPages }],
    exports: shared,
  };
}
