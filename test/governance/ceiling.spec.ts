import fc from 'fast-check';
import {
  type ClassifiedSource,
  ceilingOf,
  contextVerdict,
  isAbove,
  knownClass,
  knownEnforcement,
  MOST_SENSITIVE_IN,
} from '../../src/governance/ceiling.js';
import { TRUST_ZONES } from '../../src/governance/configuration-document.js';
import { DATA_CLASSES } from '../../src/governance/tool-catalogue.js';
import { toolDenial } from '../../src/governance/tool-gate.js';
import { aPrincipal } from '../support/governance-samples.js';

const zones = fc.constantFrom(...TRUST_ZONES);
const classes = fc.constantFrom(...DATA_CLASSES);
const modes = fc.constantFrom('enforce' as const, 'observe' as const);

function aChain(...chain: (string | null)[]) {
  const [trustZone = null, ...fallbacks] = chain;
  return { trustZone, fallbacks: fallbacks.map((zone) => ({ trustZone: zone })) };
}

describe('the ceiling', () => {
  it('SRC-1 admits in each zone what the table says', () => {
    expect(MOST_SENSITIVE_IN).toEqual({
      local: 'secret_adjacent',
      private_hosted: 'diagnostics',
      external_eu: 'configuration',
      external_global: 'internal',
    });
  });

  it.each([null, '', 'LOCAL', 'lunar', 'constructor', '__proto__'])(
    'SRC-1 takes the zone %p for external_global',
    (zone) => {
      expect(ceilingOf(aChain(zone), 'enforce')).toEqual({
        zone: 'external_global',
        dataClass: 'internal',
        enforcement: 'enforce',
      });
    },
  );

  it('SRC-1 takes a class that nobody knows for the most sensitive one', () => {
    expect([knownClass('top_secret'), knownClass('toString'), knownClass('public')]).toEqual([
      'secret_adjacent',
      'secret_adjacent',
      'public',
    ]);
  });

  it('SRC-2 is that of the least trusted provider of the whole chain, wherever it stands', () => {
    fc.assert(
      fc.property(fc.array(zones, { minLength: 1, maxLength: 5 }), (chain) => {
        const worst = Math.max(...chain.map((zone) => TRUST_ZONES.indexOf(zone)));
        expect(ceilingOf(aChain(...chain), 'enforce').zone).toBe(TRUST_ZONES[worst]);
      }),
    );
  });

  it.each([undefined, null, '', 'Observe', 'observe ', 'off', 'constructor', 1, ['observe']])(
    'SRC-7 is enforced where the policy says %p',
    (mode) => {
      expect(knownEnforcement(mode)).toBe('enforce');
    },
  );

  it('SRC-7 is only observed where the policy says exactly observe', () => {
    expect(knownEnforcement('observe')).toBe('observe');
  });
});

describe('the verdict on a prompt', () => {
  const sources: fc.Arbitrary<ClassifiedSource[]> = fc
    .array(fc.option(classes), { maxLength: 8 })
    .map((found) => found.map((dataClass, index) => ({ source: `snippet:s${index}`, dataClass })));

  it('SRC-2 blames the first of the strictest sources, and nothing where none is above', () => {
    fc.assert(
      fc.property(sources, zones, modes, (prompt, zone, enforcement) => {
        const ceiling = ceilingOf(aChain(zone), enforcement);
        const verdict = contextVerdict(prompt, ceiling);
        const above = prompt.filter(({ dataClass }) => dataClass !== null && isAbove(ceiling, dataClass));
        if (above.length === 0) {
          expect(verdict).toEqual({ verdict: 'permitted' });
          return;
        }
        const strictest = Math.max(...above.map(({ dataClass }) => DATA_CLASSES.indexOf(dataClass ?? 'public')));
        const first = above.find(({ dataClass }) => dataClass === DATA_CLASSES[strictest]);
        expect(verdict).toEqual({
          verdict: enforcement === 'observe' ? 'observed' : 'blocked',
          over: { source: first?.source, dataClass: first?.dataClass, zone },
        });
      }),
    );
  });

  it('SRC-1 puts no limit on a source without a class, and none on no sources at all', () => {
    const ceiling = ceilingOf(aChain(null), 'enforce');
    expect(contextVerdict([{ source: 'skill:a', dataClass: null }], ceiling)).toEqual({ verdict: 'permitted' });
    expect(contextVerdict([], ceiling)).toEqual({ verdict: 'permitted' });
  });
});

describe('the ceiling of what tools return', () => {
  const person = { ...aPrincipal(), id: 'p' };

  function denial(
    dataClass: (typeof DATA_CLASSES)[number] | undefined,
    zone: string,
    mode: 'enforce' | 'observe',
    remote = false,
  ) {
    const declaration = { name: 't', description: 't', effect: 'read_only' as const, parameters: {} };
    const tool = {
      declaration: { ...declaration, remote, ...(dataClass === undefined ? {} : { dataClass }) },
      enabled: true,
    };
    return toolDenial(tool, { allowedTools: null, ceiling: ceilingOf(aChain(zone), mode) }, person);
  }

  it('SRC-8 keeps a tool back whose class is above it, for everybody', () => {
    for (const zone of TRUST_ZONES) {
      for (const dataClass of DATA_CLASSES) {
        const above = isAbove({ dataClass: MOST_SENSITIVE_IN[zone] }, dataClass);
        expect([zone, dataClass, denial(dataClass, zone, 'enforce')]).toEqual([
          zone,
          dataClass,
          above ? 'data_class_above_ceiling' : null,
        ]);
      }
    }
  });

  it('SRC-8 takes a tool that declares no class for the most sensitive', () => {
    expect(denial(undefined, 'local', 'enforce')).toBeNull();
    expect(denial(undefined, 'private_hosted', 'enforce')).toBe('data_class_above_ceiling');
  });

  it('SRC-7 lets a local tool through where it is only observed, and a remote one never', () => {
    expect(denial('secret_adjacent', 'external_global', 'observe')).toBeNull();
    expect(denial('secret_adjacent', 'external_global', 'observe', true)).toBe('data_class_above_ceiling');
    expect(denial('internal', 'external_global', 'observe', true)).toBeNull();
  });
});
