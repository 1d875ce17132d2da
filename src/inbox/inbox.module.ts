import { type DynamicModule, Module } from '@nestjs/common';
import { ADMIN_CONTROLLERS, ADMIN_PROVIDERS } from './admin/admin-pages.js';
import { FormController } from './form/form.controller.js';
import { AssetsController } from './pages/assets.controller.js';
import { HistoryController } from './pages/history.controller.js';
import { LanguageController } from './pages/language.controller.js';
import { ListController } from './pages/list.controller.js';
import { NowhereController } from './pages/nowhere.controller.js';
import { PageFilter } from './pages/page.filter.js';
import { RunController } from './pages/run.controller.js';
import { RunAnswersController } from './pages/run-answers.controller.js';
import { RunReader } from './pages/run-reader.js';
import { SignedInGuard } from './pages/signed-in.guard.js';
import { StartController } from './pages/start.controller.js';
import { StreamController } from './pages/stream.controller.js';
import { Visits } from './pages/visits.js';

@Module({})
class InboxModule {}

/**
 * The pages where people answer, and those for administrators. They need the buses and, from global modules, `Clock`,
 * `ToolCatalogue`, `TokenUse` and everything of governance.
 *
 * @param signIn the module that knows who is signed in
 */
export function inboxModule(signIn: DynamicModule): DynamicModule {
  return {
    module: InboxModule,
    imports: [signIn],
    controllers: [
      FormController,
      AssetsController,
      LanguageController,
      ListController,
      StartController,
      StreamController,
      HistoryController,
      RunController,
      RunAnswersController,
      ...ADMIN_CONTROLLERS,
      NowhereController,
    ],
    providers: [Visits, SignedInGuard, PageFilter, RunReader, ...ADMIN_PROVIDERS],
  };
}
