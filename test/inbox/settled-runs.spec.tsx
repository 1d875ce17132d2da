import { renderToString } from 'preact-render-to-string';
import type { Principal } from '../../src/governance/principal.js';
import { catalogueOf, LANGUAGES } from '../../src/inbox/messages/language.js';
import { Outcome } from '../../src/inbox/pages/outcome.js';
import type { Visit } from '../../src/inbox/pages/visit.js';
import type { RunView } from '../../src/projections/runs/get-run.query.js';

/** Every reason but the one of a run that came to an answer (LIF-7). */
const REASONS = [
  'max_iterations',
  'suspend_failed',
  'context_blocked',
  'configuration_gone',
  'corrupt_state',
  'provider_failed',
  'retries_exhausted',
  'not_retryable',
  'uncertain_write',
  'cancelled',
] as const;

const ada: Principal = {
  id: 'ada',
  kind: 'person',
  enabled: true,
  admin: true,
  oidcSubject: null,
  grants: [],
  scopes: [],
};

function outcome(outcome: object, language: 'en' | 'de'): string {
  const visit: Visit = {
    caller: ada,
    language,
    t: catalogueOf(language),
    nowMs: 0,
    here: '',
    path: (below = '') => `/inbox${below}`,
  };
  const run = { configurationId: 'demo', outcome } as unknown as RunView;
  return renderToString(<Outcome visit={visit} run={run} />);
}

describe.each(LANGUAGES)('the page of a settled run in $name', ({ language }) => {
  it.each(REASONS)('LIF-7 says of %s why, in its own words, and what to do next', (reason) => {
    const page = outcome({ reason, truncated: false }, language);
    const { reason: reasons, settled } = catalogueOf(language);
    expect(page.toLowerCase()).toContain(reasons[reason].toLowerCase());
    expect(page).toContain(settled[reason]);
    expect(page).not.toContain(reason === 'cancelled' ? 'class="notice bad"' : 'undefined');
    expect(page).toContain('/inbox/start?configuration=demo');
    expect(Object.values(settled).filter((text) => text === settled[reason])).toHaveLength(1);
  });

  it('shows an answer as it is, and says so of one that was erased', () => {
    expect(outcome({ reason: 'finished', truncated: false, content: 'All is well.' }, language)).toContain(
      'All is well.',
    );
    const erased = outcome({ reason: 'finished', truncated: false, contentErased: true }, language);
    expect(erased).toContain(catalogueOf(language).run.erased);
    expect(erased).not.toContain(catalogueOf(language).run.noOutcome);
  });
});
