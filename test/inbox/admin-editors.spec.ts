import type { CommandBus } from '@nestjs/cqrs';
import fc from 'fast-check';
import type { JsonObject } from '../../src/events/json.js';
import { type ConfigurationDocument } from '../../src/governance/configuration-document.js';
import type { Configurations } from '../../src/governance/configurations.js';
import type { ToolCatalogue } from '../../src/governance/tool-catalogue.js';
import { configurationBody } from '../../src/http/governance/configuration.body.js';
import { ConfigurationEditor } from '../../src/inbox/admin/editing/configuration-editor.js';
import { UNTOUCHED } from '../../src/inbox/form/draft.js';
import { buildForm } from '../../src/inbox/form/form-model.js';
import { catalogueOf } from '../../src/inbox/messages/language.js';
import { parseIJson } from '../../src/run/i-json.js';
import { configurationDocuments } from '../support/governance-samples.js';

/** As the catalogue tells it; nothing here is looked up or written. */
const tools = (names: readonly string[]) =>
  ({ list: async () => names.map((name) => ({ name })) }) as unknown as ToolCatalogue;
const editor = (names: readonly string[]) =>
  new ConfigurationEditor({} as CommandBus, {} as Configurations, tools(names));

/** What the interface takes, with line ends as text areas have them and no empty prompt, which is none to a form. */
function asFormsHaveIt(document: ConfigurationDocument): boolean {
  const text = JSON.stringify(document);
  return parseIJson(text).ok && !text.includes('\\r') && document.systemPrompt !== '';
}

/** Which tools are allowed; in what order they were named says nothing. */
function comparable({ allowedTools, ...others }: ConfigurationDocument) {
  return { ...others, allowedTools: allowedTools === null ? null : new Set(allowedTools) };
}

describe('the form of a configuration', () => {
  it('holds every configuration there can be, so that saving it untouched changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        configurationDocuments.filter(asFormsHaveIt),
        fc.constantFrom([], ['look', 'refund']),
        fc.constantFrom('en' as const, 'de' as const),
        async (document, names, language) => {
          const of = editor(names);
          const body = JSON.parse(JSON.stringify(configurationBody(document))) as JsonObject;
          const schema = await of.schema(catalogueOf(language), body);
          const { answer } = buildForm(schema, UNTOUCHED, '', of.inForm(body));
          expect(comparable(await of.document(of.body(answer)))).toEqual(comparable(document));
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([49, 50, 51, 128])(
    'holds %d tools, and %d snippets where they can be as many, none of them cut',
    async (count) => {
      const names = Array.from({ length: count }, (_, index) => `tool-${index}`);
      const snippetIds = names.slice(0, 64);
      const of = editor(['tool-1']);
      const body = { provider: { kind: 'scripted', turns: [] }, allowedTools: names, snippetIds };
      const { answer } = buildForm(await of.schema(catalogueOf('en'), body), UNTOUCHED, '', of.inForm(body));
      const { allowedTools, snippetIds: kept } = await of.document(of.body(answer));
      expect([new Set(allowedTools), kept]).toEqual([new Set(names), snippetIds]);
    },
  );
});
