import type { ConfigurationPolicy } from '../../../governance/configuration-policies.js';
import type { Configuration, OpenConfiguration } from '../../../governance/configurations.js';
import { sourceRef } from '../../../governance/source-record.js';
import type { Visit } from '../../pages/visit.js';
import { Block } from '../../parts/arguments.js';
import { Notice } from '../../parts/notice.js';
import { Names, Shown } from '../../parts/text.js';
import { AdminPage } from '../admin-page.js';
import { Fact, Facts } from '../facts.js';
import type { Done } from '../section.js';

interface ConfigurationPageProps {
  readonly visit: Visit;
  readonly configuration: Configuration;
  /** With its content; null where that was erased. */
  readonly opened: OpenConfiguration | null;
  /** What follows from it at this moment. */
  readonly policy: ConfigurationPolicy;
  readonly done: Done | null;
}

export function ConfigurationPage({ visit, configuration, opened, policy, done }: ConfigurationPageProps) {
  const { t, path } = visit;
  const words = t.admin.configuration;
  const { id, provider, trustZone, fallbacks, allowedTools, ceiling } = configuration;
  return (
    <AdminPage visit={visit} section="configurations" title={id} done={done}>
      <div class="headline with-action">
        <h1>{id}</h1>
        <p class="actions">
          {opened === null ? null : (
            <a class="button second" href={path(`/admin/configurations/${id}/edit`)}>
              {t.admin.edit}
            </a>
          )}
          <a href={path(`/start?configuration=${id}`)}>{words.start}</a>
        </p>
      </div>
      <Context visit={visit} policy={policy} />
      {opened === null ? <Notice tone="warning" title={words.erased} /> : null}
      <section class="card">
        <Facts>
          <ProviderFacts visit={visit} provider={provider} zone={trustZone} />
          {fallbacks.map((fallback, index) => (
            // Fallbacks have no name but their place.
            <Fact key={index} name={words.fallback(index + 1)}>
              <ProviderLine provider={fallback.provider} /> · <Shown text={fallback.trustZone ?? words.zoneMissing} />
            </Fact>
          ))}
          <Fact name={words.ceiling}>
            {words.ceilingText(ceiling.dataClass, ceiling.zone)}
            {ceiling.enforcement === 'observe' ? ` · ${words.observed}` : ''}
          </Fact>
          <Fact name={words.tools}>
            {allowedTools === null ? (
              words.everyTool
            ) : allowedTools.length === 0 ? (
              words.toolCount(0)
            ) : (
              <Names names={allowedTools} />
            )}
          </Fact>
          <Fact name={words.sources}>
            {policy.sources.length === 0 ? (
              t.admin.none
            ) : (
              <ul class="bare">
                {policy.sources.map(({ source, dataClass, reason }) => (
                  <li key={source}>
                    <SourceLink visit={visit} source={source} />
                    {dataClass === null ? null : <> · {dataClass}</>}{' '}
                    <span class="quiet">· {words.reasons[reason]}</span>
                  </li>
                ))}
              </ul>
            )}
          </Fact>
          <Fact name={words.requireSecondApprover}>
            {configuration.requireSecondApprover ? t.admin.yes : t.admin.no}
          </Fact>
        </Facts>
      </section>
      {opened === null ? null : <Content visit={visit} opened={opened} />}
      <p>
        <a href={path(`/admin/configurations/${id}/delete`)}>{t.admin.remove} …</a>
      </p>
    </AdminPage>
  );
}

/** Whether runs that are started now may send what stands in their prompt. */
function Context({ visit: { t }, policy }: { readonly visit: Visit; readonly policy: ConfigurationPolicy }) {
  const words = t.admin.configuration;
  if (policy.context.verdict === 'permitted') return null;
  const { source, dataClass, zone } = policy.context.over;
  return policy.context.verdict === 'blocked' ? (
    <Notice tone="bad" title={words.blocked}>
      <p>{words.blockedText(source, dataClass, zone)}</p>
    </Notice>
  ) : (
    <Notice tone="warning" title={words.observedTitle}>
      <p>{words.observedText(source, dataClass, zone)}</p>
    </Notice>
  );
}

interface ProviderFactsProps {
  readonly visit: Visit;
  readonly provider: Configuration['provider'];
  readonly zone: string | null;
}

function ProviderFacts({ visit: { t }, provider, zone }: ProviderFactsProps) {
  const words = t.admin.configuration;
  return (
    <>
      <Fact name={words.provider}>{words.kinds[provider.kind]}</Fact>
      {provider.kind === 'scripted' ? null : (
        <>
          <Fact name={words.model}>
            <Shown text={provider.model} />
          </Fact>
          {provider.baseUrl === undefined ? null : (
            <Fact name={words.baseUrl}>
              <Shown text={provider.baseUrl} />
            </Fact>
          )}
          {provider.apiKeyEnv === undefined ? null : (
            <Fact name={words.apiKeyEnv}>
              <code>
                <Shown text={provider.apiKeyEnv} />
              </code>
            </Fact>
          )}
          {provider.timeoutMs === undefined ? null : <Fact name={words.timeoutMs}>{String(provider.timeoutMs)}</Fact>}
        </>
      )}
      <Fact name={words.trustZone}>
        <Shown text={zone ?? words.zoneMissing} />
      </Fact>
    </>
  );
}

function ProviderLine({ provider }: { readonly provider: Configuration['provider'] }) {
  return provider.kind === 'scripted' ? (
    <span>{provider.kind}</span>
  ) : (
    <span>
      {provider.kind} · <Shown text={provider.model} />
    </span>
  );
}

/** A source by its name in runs and refusals, leading to its page. */
function SourceLink({ visit, source }: { readonly visit: Visit; readonly source: string }) {
  const ref = sourceRef(source);
  if (ref === null) return <Shown text={source} />;
  return <a href={visit.path(`/admin/${ref.kind}s/${ref.id}`)}>{source}</a>;
}

function Content({ visit: { t }, opened }: { readonly visit: Visit; readonly opened: OpenConfiguration }) {
  const words = t.admin.configuration;
  const { systemPrompt, provider, fallbacks } = opened;
  const scripts = [provider, ...fallbacks.map((fallback) => fallback.provider)].flatMap((one, place) =>
    one.kind === 'scripted' ? [{ place, turns: JSON.stringify(one.turns, null, 2) }] : [],
  );
  return (
    <>
      {systemPrompt === null ? null : (
        <section class="card">
          <h2>{words.systemPrompt}</h2>
          <Block text={systemPrompt} label={words.systemPrompt} />
        </section>
      )}
      {scripts.map(({ place, turns }) => (
        <section class="card" key={place}>
          <h2>{place === 0 ? words.turns : `${words.turns} · ${words.fallback(place)}`}</h2>
          <Block text={turns} label={place === 0 ? words.turns : `${words.turns} ${place}`} />
        </section>
      ))}
    </>
  );
}
