import { REFUSAL_EVENTS } from '../../src/events/refusal-event-schemas.js';
import { RUN_EVENTS } from '../../src/events/run-event-schemas.js';
import { catalogueOf, LANGUAGES } from '../../src/inbox/messages/language.js';

/** Every name out of a fixed list that events of these kinds can have in one field. */
function namesIn(declarations: object, field: string): string[] {
  const names = Object.values(declarations).flatMap(({ data }) => enumsOf(data.properties?.[field]));
  return [...new Set(names)].filter((name) => name !== 'none');
}

function enumsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'enum' ? (value as unknown[]).filter((name) => typeof name === 'string') : enumsOf(value),
  );
}

/* What has no text is shown by its name, so a page works without it; whoever reads it does not know our names. */
describe.each(LANGUAGES)('names from fixed lists, on the pages in $name', ({ language }) => {
  const t = catalogueOf(language);

  it('LIF-7 every reason that an event can give is said in words', () => {
    const reasons = [
      ...namesIn(RUN_EVENTS, 'reason'),
      ...namesIn(RUN_EVENTS, 'errorClass'),
      ...namesIn(REFUSAL_EVENTS, 'refusal'),
    ];
    expect(reasons).toEqual(expect.arrayContaining(['finished', 'connection', 'age', 'self_approval']));
    expect(reasons.filter((reason) => !Object.hasOwn(t.reason, reason))).toEqual([]);
  });

  it('SUB-2 every denial is said in words, to whoever is denied and of somebody else', () => {
    const denials = namesIn(REFUSAL_EVENTS, 'reason');
    expect(denials).toContain('data_class_above_ceiling');
    expect(denials.filter((denial) => !Object.hasOwn(t.denial, denial))).toEqual([]);
    expect(denials.filter((denial) => !Object.hasOwn(t.admin.audit.denials, denial))).toEqual([]);
  });

  it('SEA-3 every part of the content that can be erased is said in words', () => {
    expect(namesIn(RUN_EVENTS, 'scope').filter((scope) => !Object.hasOwn(t.erasedPart, scope))).toEqual([]);
  });
});
