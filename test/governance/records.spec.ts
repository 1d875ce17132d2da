import { PutPrincipal } from '../../src/commands/governance/put-principal.command.js';
import { NO_PRECONDITION } from '../../src/governance/documents.js';
import { PRINCIPAL } from '../../src/governance/principal-record.js';
import { GovernanceDesk, remains } from '../support/governance-desk.js';
import { aPrincipal, ROOT } from '../support/governance-samples.js';
import { CALM } from '../support/memory-event-store.js';

function put(id: string, admin: boolean) {
  return new PutPrincipal(ROOT, id, aPrincipal({ admin }), NO_PRECONDITION, 'c');
}

describe('reading a record', () => {
  it('folds an event once, however often the record is asked for', async () => {
    const desk = new GovernanceDesk(remains());
    await desk.execute(put('olga', false));
    let folded = 0;
    const fold: typeof PRINCIPAL.fold = {
      ...PRINCIPAL.fold,
      evolve: (state, event) => {
        folded += 1;
        return PRINCIPAL.fold.evolve(state, event);
      },
    };
    const kind = { ...PRINCIPAL, fold };
    for (let times = 0; times < 3; times += 1) await desk.records.read(kind, 'olga');
    expect(folded).toBe(1);
    await desk.execute(put('olga', true));
    expect((await desk.records.read(kind, 'olga')).state.document?.data.admin).toBe(true);
    expect(folded).toBe(2);
  });

  it('remembers a bounded number of records, those that were asked for last', async () => {
    const desk = new GovernanceDesk(remains());
    let folded = 0;
    const fold: typeof PRINCIPAL.fold = {
      ...PRINCIPAL.fold,
      evolve: (state, event) => {
        folded += 1;
        return PRINCIPAL.fold.evolve(state, event);
      },
    };
    const kind = { ...PRINCIPAL, fold, mostRemembered: 2 };
    for (const id of ['a', 'b', 'c']) await desk.execute(put(id, false));
    for (const id of ['a', 'b', 'a', 'c', 'a', 'nobody', 'nobody else']) await desk.records.read(kind, id);
    expect(folded).toBe(3);
    await desk.records.read(kind, 'b');
    expect(folded).toBe(4);
  });

  it('never goes back to an older state when a slow reader comes in late', async () => {
    const shared = remains();
    let held: (() => void) | undefined;
    let hold = false;
    const plan = {
      ...CALM,
      pause: async (point: string) => {
        if (point !== 'read' || !hold) return;
        hold = false;
        await new Promise<void>((resolve) => {
          held = resolve;
        });
      },
    };
    const desk = new GovernanceDesk(shared, plan);
    const other = new GovernanceDesk(shared);
    await other.execute(put('olga', false));
    await desk.principals.find('olga');
    hold = true;
    const slow = desk.principals.find('olga');
    await other.execute(put('olga', true));
    expect(await desk.principals.find('olga')).toMatchObject({ admin: true });
    held?.();
    await slow;
    expect(await desk.principals.find('olga')).toMatchObject({ admin: true });
  });

  it('fails where the store is away: an older answer is never given instead', async () => {
    let away = false;
    const desk = new GovernanceDesk(remains(), { ...CALM, readFate: () => (away ? 'refuse' : 'answer') });
    await desk.execute(put('olga', true));
    await desk.principals.find('olga');
    away = true;
    await expect(desk.principals.find('olga')).rejects.toMatchObject({ name: 'StoreUnavailable' });
  });
});
