import { DeleteConfiguration } from '../../src/commands/governance/delete-configuration.command.js';
import { PutConfiguration } from '../../src/commands/governance/put-configuration.command.js';
import type { JsonObject } from '../../src/events/json.js';
import { NO_PRECONDITION, type Precondition } from '../../src/governance/documents.js';
import { GovernanceDesk, remains } from '../support/governance-desk.js';
import { aConfiguration, ROOT } from '../support/governance-samples.js';

function put(document = aConfiguration(), precondition: Precondition = NO_PRECONDITION) {
  return new PutConfiguration(ROOT, 'demo', document, precondition, 'c');
}

function remove(precondition: Precondition = NO_PRECONDITION) {
  return new DeleteConfiguration(ROOT, 'demo', precondition, 'c');
}

const precondition_failed = { outcome: 'rejected', rejection: { code: 'precondition_failed' } };

describe('a configuration', () => {
  it('is the last document that was put, and gone once it was deleted', async () => {
    const desk = new GovernanceDesk(remains());
    expect(await desk.configurations.read('demo')).toBeNull();
    expect(await desk.execute(put())).toEqual({ outcome: 'accepted', change: 'created', revision: 0 });
    const second = aConfiguration({ allowedTools: ['lookup_order'], systemPrompt: 'Be kind.' });
    expect(await desk.execute(put(second))).toEqual({ outcome: 'accepted', change: 'replaced', revision: 1 });
    expect(await desk.configurations.read('demo')).toMatchObject({ id: 'demo', allowedTools: ['lookup_order'] });
    expect(await desk.configurations.open('demo')).toEqual({ ...second, id: 'demo', revision: 1 });
    expect(await desk.execute(remove())).toEqual({ outcome: 'accepted', change: 'deleted' });
    expect(await desk.configurations.read('demo')).toBeNull();
    expect(await desk.configurations.open('demo')).toBeNull();
  });

  it('is told apart by its content alone', async () => {
    const desk = new GovernanceDesk(remains());
    await desk.execute(put(aConfiguration({ systemPrompt: 'one' })));
    expect(await desk.execute(put(aConfiguration({ systemPrompt: 'one' })))).toMatchObject({ change: 'unchanged' });
    expect(await desk.execute(put(aConfiguration({ systemPrompt: 'two' })))).toMatchObject({ change: 'replaced' });
  });

  it('SEA-1 has its system prompt and its scripted turns in the log only sealed', async () => {
    const desk = new GovernanceDesk(remains());
    const script = (text: string) => ({ kind: 'scripted' as const, turns: [{ text }] });
    const document = aConfiguration({
      provider: script('turn-content'),
      fallbacks: [{ provider: script('fallback-content'), trustZone: null }],
      systemPrompt: 'prompt-content',
    });
    await desk.execute(put(document));
    const log = JSON.stringify(desk.remains.log.events.map(({ data, metadata }) => [data, metadata]));
    expect(log).not.toMatch(/turn-content|fallback-content|prompt-content/);
    expect(await desk.configurations.read('demo')).not.toHaveProperty('systemPrompt');
    expect(JSON.stringify(await desk.configurations.read('demo'))).not.toMatch(/content/);
    expect(await desk.configurations.open('demo')).toMatchObject(document);
  });

  it('keeps names of prototypes in the arguments of a scripted call as the plain names they are', async () => {
    const text = '{"__proto__":{"a":1},"constructor":2,"toString":null,"hasOwnProperty":[]}';
    const desk = new GovernanceDesk(remains());
    const call = { toolName: 'constructor', arguments: JSON.parse(text) as JsonObject };
    await desk.execute(put(aConfiguration({ provider: { kind: 'scripted', turns: [{ calls: [call] }] } })));
    const { provider } = (await desk.configurations.open('demo')) ?? {};
    expect(JSON.stringify(provider)).toContain(`"arguments":${text}`);
  });

  it('that another process changed is read anew', async () => {
    const desk = new GovernanceDesk(remains());
    const other = new GovernanceDesk(desk.remains);
    await desk.execute(put());
    expect(await other.configurations.read('demo')).toMatchObject({ allowedTools: null });
    await desk.execute(put(aConfiguration({ allowedTools: [] })));
    expect(await other.configurations.read('demo')).toMatchObject({ allowedTools: [] });
  });

  it('of an id that no record can have is looked up by nobody', async () => {
    const desk = new GovernanceDesk(remains(), {
      pause: () => Promise.reject(new Error('asked the store')),
      appendFate: () => 'commit',
      readFate: () => 'answer',
      feedFate: () => 'deliver',
    });
    for (const id of ['', 'a/b', 'ä', 'x'.repeat(65), 'a b']) expect(await desk.configurations.read(id)).toBeNull();
  });
});

describe('a precondition', () => {
  const changed = aConfiguration({ allowedTools: [] });

  it.each<[string, Precondition, boolean]>([
    ['that it is the revision that stands', { kind: 'is_one_of', revisions: [7, 0] }, true],
    ['that it is another revision', { kind: 'is_one_of', revisions: [1] }, false],
    ['that it exists', { kind: 'exists' }, true],
    ['that it does not exist', { kind: 'does_not_exist' }, false],
  ])('%s is asked of the document as it stands', async (_what, precondition, holds) => {
    const desk = new GovernanceDesk(remains());
    await desk.execute(put());
    const expected = holds ? { outcome: 'accepted' } : precondition_failed;
    expect(await desk.execute(put(changed, precondition))).toMatchObject(expected);
  });

  it.each<[string, Precondition, boolean]>([
    ['that it is some revision', { kind: 'is_one_of', revisions: [0] }, false],
    ['that it exists', { kind: 'exists' }, false],
    ['that it does not exist', { kind: 'does_not_exist' }, true],
  ])('%s fails or holds where there is none', async (_what, precondition, holds) => {
    const desk = new GovernanceDesk(remains());
    const expected = holds ? { outcome: 'accepted' } : precondition_failed;
    expect(await desk.execute(put(changed, precondition))).toMatchObject(expected);
  });

  it('lets one of two editors of the same version win', async () => {
    const desk = new GovernanceDesk(remains());
    await desk.execute(put());
    const mine = put(aConfiguration({ systemPrompt: 'mine' }), { kind: 'is_one_of', revisions: [0] });
    const theirs = put(aConfiguration({ systemPrompt: 'theirs' }), { kind: 'is_one_of', revisions: [0] });
    const outcomes = await Promise.all([desk.execute(mine), new GovernanceDesk(desk.remains).execute(theirs)]);
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['accepted', 'rejected']);
  });

  it('does not fail a repeat of what got through', async () => {
    const desk = new GovernanceDesk(remains());
    await desk.execute(put());
    const edit = put(changed, { kind: 'is_one_of', revisions: [0] });
    expect(await desk.execute(edit)).toMatchObject({ outcome: 'accepted', revision: 1 });
    expect(await desk.execute(edit)).toMatchObject({ outcome: 'nothing_to_do', change: 'unchanged', revision: 1 });
  });
});

describe('deleting a configuration', () => {
  it('is told apart for one that never was, and is done already for one that was deleted', async () => {
    const desk = new GovernanceDesk(remains());
    expect(await desk.execute(remove())).toEqual({ outcome: 'rejected', rejection: { code: 'never_existed' } });
    await desk.execute(put());
    expect(await desk.execute(remove({ kind: 'is_one_of', revisions: [4] }))).toEqual(precondition_failed);
    expect(await desk.execute(remove())).toEqual({ outcome: 'accepted', change: 'deleted' });
    expect(await desk.execute(remove())).toEqual({ outcome: 'nothing_to_do', change: 'unchanged' });
    expect(await desk.execute(put())).toMatchObject({ change: 'created', revision: 2 });
  });
});
