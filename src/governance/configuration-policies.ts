import { Injectable } from '@nestjs/common';
import type { DataClass } from '../tools/tool.js';
import { type Ceiling, type ContextVerdict, isAbove, knownZone, strictestOf } from './ceiling.js';
import type { TrustZone } from './configuration-document.js';
import { type Configuration, Configurations } from './configurations.js';
import { ContextGate } from './context-gate.js';
import { type LiveTool, LiveTools } from './live-tools.js';
import type { Principal } from './principal.js';
import { Principals } from './principals.js';
import { sourceNames } from './source-record.js';
import { Sources } from './sources.js';
import { classOfTool, type ToolDenial, toolDenial } from './tool-gate.js';

/** Whether somebody's runs are offered a tool, and why not. */
export type Offer = { readonly offered: true } | { readonly offered: false; readonly reason: ToolDenial };

export interface ToolPolicy {
  readonly name: string;
  readonly dataClass: DataClass;
  /** To runs of anybody who is enabled and no administrator. */
  readonly people: Offer;
  readonly administrators: Offer;
  /** To runs of the principal that was asked about. */
  readonly principal?: Offer;
}

export interface SourcePolicy {
  readonly source: string;
  readonly dataClass: DataClass | null;
  /** Whether it limits where a run that is started now may go. */
  readonly binds: boolean;
  /** `strictest`: it is the one that the ceiling is held against. */
  readonly reason: 'not_found' | 'inactive' | 'no_data_class' | 'above_ceiling' | 'strictest' | 'less_strict';
}

/** What follows from a configuration, as of this moment. */
export interface ConfigurationPolicy {
  readonly ceiling: Ceiling;
  /** The providers in the order in which they are asked, with the zones that count. */
  readonly chain: readonly { readonly kind: string; readonly trustZone: TrustZone }[];
  readonly tools: readonly ToolPolicy[];
  readonly sources: readonly SourcePolicy[];
  /** Of a run that is started now and forces no sources. */
  readonly context: ContextVerdict;
}

/** Reads out what the gates would say: it asks them, and has no rules of its own. */
@Injectable()
export class ConfigurationPolicies {
  constructor(
    private readonly configurations: Configurations,
    private readonly sources: Sources,
    private readonly context: ContextGate,
    private readonly tools: LiveTools,
    private readonly principals: Principals,
  ) {}

  /**
   * @param principalId somebody to be asked about besides; null: nobody
   * @returns null where there is no such configuration
   * @throws {StoreUnavailable} @throws {EventUnreadable}
   */
  async read(configurationId: string, principalId: string | null): Promise<ConfigurationPolicy | null> {
    const configuration = await this.configurations.read(configurationId);
    if (configuration === null) return null;
    const { ceiling, provider, trustZone, fallbacks } = configuration;
    const [tools, asked, sources] = await Promise.all([
      this.tools.all(),
      principalId === null ? undefined : this.principals.find(principalId),
      this.sourcesOf(configuration),
    ]);
    const usable = sources.filter(({ reason }) => reason !== 'not_found' && reason !== 'inactive');
    const run = { sourceIds: usable.map(({ source }) => source), forcedSnippetIds: [], forcedSkillIds: [] };
    return {
      ceiling,
      chain: [{ provider, trustZone }, ...fallbacks].map((hop) => ({
        kind: hop.provider.kind,
        trustZone: knownZone(hop.trustZone),
      })),
      tools: [...tools.values()].map((tool) => toolPolicy(tool, configuration, asked)),
      sources,
      context: await this.context.judge(configuration, run),
    };
  }

  private async sourcesOf({ snippetIds, skillIds, ceiling }: Configuration): Promise<SourcePolicy[]> {
    const names = [...new Set(sourceNames(snippetIds, skillIds))];
    const found = await this.sources.named(names);
    const strictest = strictestOf(found.filter(({ active }) => active))?.source;
    return names.map((name): SourcePolicy => {
      const source = found.find((one) => one.source === name);
      if (source === undefined) return { source: name, dataClass: null, binds: false, reason: 'not_found' };
      const { dataClass, active } = source;
      if (!active) return { source: name, dataClass, binds: false, reason: 'inactive' };
      if (dataClass === null) return { source: name, dataClass, binds: false, reason: 'no_data_class' };
      if (isAbove(ceiling, dataClass)) return { source: name, dataClass, binds: true, reason: 'above_ceiling' };
      return { source: name, dataClass, binds: true, reason: name === strictest ? 'strictest' : 'less_strict' };
    });
  }
}

/** Stand for everybody whom the gate does not tell apart. */
const PERSON: Principal = {
  id: 'anybody',
  kind: 'person',
  enabled: true,
  admin: false,
  grants: [],
  scopes: [],
  oidcSubject: null,
};
const ADMINISTRATOR: Principal = { ...PERSON, admin: true };

function toolPolicy(tool: LiveTool, configuration: Configuration, asked: Principal | null | undefined): ToolPolicy {
  const offerTo = (principal: Principal | null): Offer => {
    const reason = toolDenial(tool, configuration, principal);
    return reason === null ? { offered: true } : { offered: false, reason };
  };
  return {
    name: tool.declaration.name,
    dataClass: classOfTool(tool.declaration),
    people: offerTo(PERSON),
    administrators: offerTo(ADMINISTRATOR),
    ...(asked === undefined ? {} : { principal: offerTo(asked) }),
  };
}
