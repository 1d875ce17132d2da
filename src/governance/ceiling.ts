import { DATA_CLASSES, type DataClass } from '../tools/tool.js';
import { type ConfigurationDocument, TRUST_ZONES, type TrustZone } from './configuration-document.js';

/*
 * What may go where (SRC-1): pure, over records that were looked up just now. Everything that asks whether a run's
 * context or a tool's results may reach a provider asks here.
 */

/** The most sensitive class that a provider in each zone may receive. */
export const MOST_SENSITIVE_IN: { readonly [Zone in TrustZone]: DataClass } = {
  local: 'secret_adjacent',
  private_hosted: 'diagnostics',
  external_eu: 'configuration',
  external_global: 'internal',
};

/** `observe`: what exceeds the ceiling is recorded and goes out all the same (SRC-7). */
export type Enforcement = 'enforce' | 'observe';

/** How sensitive a thing may be to reach whatever a configuration's runs can reach. */
export interface Ceiling {
  /** The least trusted zone within reach, that of fallbacks included. */
  readonly zone: TrustZone;
  readonly dataClass: DataClass;
  readonly enforcement: Enforcement;
}

/** A text in a prompt, as far as the ceiling is concerned. */
export interface ClassifiedSource {
  /** `snippet:<id>` or `skill:<id>`. */
  readonly source: string;
  /** Null: it puts no limit on where it goes. */
  readonly dataClass: DataClass | null;
}

/** What stands above the ceiling: enough to mend it, and nothing of the text (SRC-2). */
export interface ContextRefusal {
  readonly source: string;
  readonly dataClass: DataClass;
  readonly zone: TrustZone;
}

export type ContextVerdict =
  | { readonly verdict: 'permitted' }
  | { readonly verdict: 'observed' | 'blocked'; readonly over: ContextRefusal };

/** A chain of providers is as trusted as the least trusted of it: any of them may come to answer. */
export function ceilingOf(
  { trustZone, fallbacks }: Pick<ConfigurationDocument, 'trustZone'> & { readonly fallbacks: readonly Zoned[] },
  enforcement: Enforcement,
): Ceiling {
  const zone = [trustZone, ...fallbacks.map((fallback) => fallback.trustZone)]
    .map(knownZone)
    .reduce((one, other) => (TRUST_ZONES.indexOf(other) > TRUST_ZONES.indexOf(one) ? other : one));
  return { zone, dataClass: MOST_SENSITIVE_IN[zone], enforcement };
}

interface Zoned {
  readonly trustZone: string | null;
}

/** A missing zone, and one that nobody here knows, is the least trusted one (SRC-1). */
export function knownZone(zone: string | null): TrustZone {
  return TRUST_ZONES.find((known) => known === zone) ?? 'external_global';
}

/** A class that nobody here knows is the most sensitive one. */
export function knownClass(dataClass: string): DataClass {
  return DATA_CLASSES.find((known) => known === dataClass) ?? 'secret_adjacent';
}

/** Only the literal word observes; whatever else stands there, or cannot be read, enforces (SRC-7). */
export function knownEnforcement(mode: unknown): Enforcement {
  return mode === 'observe' ? 'observe' : 'enforce';
}

export function isAbove(ceiling: Pick<Ceiling, 'dataClass'>, dataClass: DataClass): boolean {
  return sensitivity(dataClass) > sensitivity(ceiling.dataClass);
}

/**
 * The one answer to whether a prompt may be sent: its strictest source against the ceiling (SRC-2).
 *
 * @param sources in the order of the prompt: of equal classes the first is named
 */
export function contextVerdict(sources: readonly ClassifiedSource[], ceiling: Ceiling): ContextVerdict {
  const strictest = strictestOf(sources);
  if (strictest === null || !isAbove(ceiling, strictest.dataClass)) return { verdict: 'permitted' };
  const over = { source: strictest.source, dataClass: strictest.dataClass, zone: ceiling.zone };
  return { verdict: ceiling.enforcement === 'observe' ? 'observed' : 'blocked', over };
}

/** Null where none of them has a class. */
export function strictestOf(
  sources: readonly ClassifiedSource[],
): { readonly source: string; readonly dataClass: DataClass } | null {
  let strictest: { readonly source: string; readonly dataClass: DataClass } | null = null;
  for (const { source, dataClass } of sources) {
    if (dataClass === null) continue;
    if (strictest === null || sensitivity(dataClass) > sensitivity(strictest.dataClass)) {
      strictest = { source, dataClass };
    }
  }
  return strictest;
}

/** What stops the run, if the verdict does. */
export function refusalOf(verdict: ContextVerdict): ContextRefusal | null {
  return verdict.verdict === 'blocked' ? verdict.over : null;
}

function sensitivity(dataClass: DataClass): number {
  return DATA_CLASSES.indexOf(dataClass);
}
