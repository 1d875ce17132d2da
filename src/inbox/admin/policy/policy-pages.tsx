import { type Enforcement, MOST_SENSITIVE_IN } from '../../../governance/ceiling.js';
import { TRUST_ZONES } from '../../../governance/configuration-document.js';
import { DATA_CLASSES } from '../../../governance/tool-catalogue.js';
import type { Visit } from '../../pages/visit.js';
import { Notice } from '../../parts/notice.js';
import { AdminPage } from '../admin-page.js';
import type { Done } from '../section.js';
import { type Version, VersionField } from '../version.js';

interface PolicyPageProps {
  readonly visit: Visit;
  readonly mode: Enforcement;
  readonly done: Done | null;
}

/** Whether the ceiling of data classes is kept, and what it is. */
export function PolicyPage({ visit, mode, done }: PolicyPageProps) {
  const { t, path } = visit;
  const words = t.admin.policy;
  const other = mode === 'enforce' ? 'observe' : 'enforce';
  return (
    <AdminPage visit={visit} section="policy" title={t.admin.sections.policy} isList={true} done={done}>
      <div class="headline">
        <h1>{t.admin.sections.policy}</h1>
        <p class="lead">{t.admin.lead.policy}</p>
      </div>
      <section class="card">
        <h2>
          {words.now}: <span class={`badge ${mode === 'enforce' ? 'completed' : 'approval'}`}>{words[mode]}</span>
        </h2>
        <p>{words.meaning[mode]}</p>
        <p>
          <a class="button second" href={path(`/admin/policy/${other}`)}>
            {words.to[other]}
          </a>
        </p>
      </section>
      <section class="card quiet-card">
        <h2>{words.zones}</h2>
        <table class="values">
          <thead>
            <tr>
              <th scope="col">{words.zone}</th>
              <th scope="col">{words.upTo}</th>
            </tr>
          </thead>
          <tbody>
            {TRUST_ZONES.map((zone) => (
              <tr key={zone}>
                <th scope="row">{t.admin.configuration.zones[zone]}</th>
                <td>{MOST_SENSITIVE_IN[zone]}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p>
          {words.classes} {DATA_CLASSES.join(', ')}.
        </p>
      </section>
    </AdminPage>
  );
}

interface SwitchPageProps {
  readonly visit: Visit;
  readonly to: Enforcement;
  readonly version: Version | null;
  /** Somebody else has switched it since the person looked. */
  readonly isStale: boolean;
}

/** Asks once more before the policy is switched. */
export function SwitchPage({ visit, to, version, isStale }: SwitchPageProps) {
  const { t, path } = visit;
  const words = t.admin.policy;
  return (
    <AdminPage visit={visit} section="policy" title={words.confirmTitle[to]}>
      {isStale ? (
        <Notice tone="warning" title={t.admin.conflict.title} focus={true}>
          <p>{t.admin.conflict.switching}</p>
        </Notice>
      ) : null}
      <section class="card ask">
        <h1>{words.confirmTitle[to]}</h1>
        <p>{words.confirmText[to]}</p>
        <form method="post" action={path(`/admin/policy/${to}`)}>
          <VersionField version={version} />
          <p class="actions">
            <button type="submit" class={to === 'observe' ? 'danger' : 'main'}>
              {words.confirm[to]}
            </button>
            <a href={path('/admin/policy')}>{t.admin.cancel}</a>
          </p>
        </form>
      </section>
    </AdminPage>
  );
}
