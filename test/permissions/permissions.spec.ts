import fc from 'fast-check';
import { type Answer, type ExpectedRun, NOBODYS_TOOL, type Person, RuleBook, TOOL_NAMES } from './rule-book.js';
import { Service } from './service-by-the-rules.js';

/*
 * Principals, grants, switches and configurations change at random while runs pause and are answered. A second, independent
 * telling of the rules says beforehand what each answer and each claim comes to.
 */

const NAMES = ['ann', 'bob', 'cat', 'bot'] as const;

type Step = fc.AsyncCommand<RuleBook, Service>;

function step(
  name: string,
  check: (rules: RuleBook) => boolean,
  run: (rules: RuleBook, service: Service) => Promise<void>,
): Step {
  return {
    check,
    toString: () => name,
    async run(rules, service) {
      await run(rules, service);
      for (const [index, { status, results, refusals }] of rules.runs.entries()) {
        expect(await service.standing(index)).toMatchObject({ status, results, refusals });
        const ran = service.executed.filter(({ runId }) => runId === service.runIds[index]);
        expect(ran.map(({ callId }) => callId)).toEqual(
          results.flatMap(([id, result]) => (result === 'ok' ? [id] : [])),
        );
      }
    },
  };
}

async function judged(rules: RuleBook, service: Service, run: number, answer: Answer): Promise<void> {
  const before = await service.standing(run);
  const outcome = rules.judge(rules.runs[run] as ExpectedRun, answer);
  expect(await service.telling(service.answer(run, answer))).toBe(outcome);
  // Only what was accepted writes to the run (SUB-9, INP-3).
  const { revision } = await service.standing(run);
  expect(revision - before.revision).toBe(outcome === 'accepted' ? 1 : 0);
}

const always = () => true;
const someRun = fc.nat(2);
const somebody = fc.constantFrom(...NAMES);

function personOf(name: string, enabled: boolean, admin: boolean, mayAnswer: boolean): Person {
  return { kind: name === 'bot' ? 'service_account' : 'person', enabled, admin, mayAnswer };
}

const changes = fc
  .tuple(somebody, fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean()), fc.boolean(), fc.boolean())
  .map(([name, ...rights]) => {
    const person = personOf(name, ...rights);
    return step(`${name} becomes ${JSON.stringify(person)}`, always, async (rules, service) => {
      rules.people.set(name, person);
      await service.know(name, person);
    });
  });

const switches = fc.tuple(fc.constantFrom(...TOOL_NAMES), fc.boolean(), fc.boolean()).map(([name, enabled, wanted]) => {
  const careful = wanted && name !== 'ask';
  return step(`${name} is ${enabled ? 'on' : 'off'}${careful ? ', with care' : ''}`, always, async (rules, service) => {
    rules.tools.set(name, { enabled, careful });
    await service.switchTool(name, enabled, careful);
  });
});

const configurations = fc
  .record({
    allowedTools: fc.option(fc.subarray(TOOL_NAMES, { minLength: 1 }), { freq: 2 }),
    requireSecondApprover: fc.boolean(),
  })
  .map((configuration) =>
    step(`the configuration becomes ${JSON.stringify(configuration)}`, always, async (rules, service) => {
      rules.configuration = configuration;
      await service.configure(configuration);
    }),
  );

const starts = somebody.map((name) =>
  step(
    `${name} starts a run`,
    ({ people, runs }) => runs.length < 3 && name !== 'bot' && people.get(name)?.enabled === true,
    async (rules, service) => {
      rules.start(name);
      await service.start(name);
    },
  ),
);

const works = someRun.map((run) =>
  step(
    `run ${run} is worked on`,
    ({ runs }) => run < runs.length,
    async (rules, service) => {
      const expected = rules.work(rules.runs[run] as ExpectedRun);
      expect(await service.telling(service.work(run))).toBe(expected);
    },
  ),
);

const answers = fc
  .record({
    run: someRun,
    by: somebody,
    kind: fc.oneof({ weight: 4, arbitrary: fc.constant('fitting' as const) }, fc.constantFrom('input', 'approval')),
    amount: fc.constantFrom<number | string>(1, 2, 'nothing that fits'),
    approved: fc.boolean(),
    turn: fc.oneof({ weight: 5, arbitrary: fc.constant('latest' as const) }, fc.constantFrom('earlier', 'none')),
  })
  .map(({ run, by, kind, amount, approved, turn }) =>
    step(
      `${by} answers run ${run}: ${kind}, ${amount}/${approved}, turn ${turn}`,
      ({ runs }) => run < runs.length,
      async (rules, service) => {
        const expected = rules.runs[run] as ExpectedRun;
        const fitting = expected.status === 'waiting_for_approval' ? 'approval' : 'input';
        const way = kind === 'fitting' ? fitting : kind;
        const latest = expected.answers - 1;
        const named = turn === 'none' || latest < 0 ? null : turn === 'latest' ? latest : Math.max(0, latest - 1);
        const answer: Answer = {
          kind: way as Answer['kind'],
          by,
          value: way === 'input' ? amount : approved,
          turn: named,
        };
        await judged(rules, service, run, answer);
      },
    ),
  );

/** An answer that was accepted comes again, from whoever gave it or from somebody else. */
const repeats = fc.tuple(someRun, fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, somebody)).map(([run, name]) =>
  step(
    `${name ?? 'whoever it was'} repeats an answer to run ${run}`,
    ({ runs }) => (runs[run]?.answered.size ?? 0) > 0,
    async (rules, service) => {
      const [accepted] = [...(rules.runs[run] as ExpectedRun).answered.values()];
      if (accepted !== undefined) await judged(rules, service, run, { ...accepted, by: name ?? accepted.by });
    },
  ),
);

const someScript = fc.array(
  fc.uniqueArray(fc.constantFrom(...TOOL_NAMES, 'ask', 'refund', NOBODYS_TOOL), { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 3 },
);

const someSteps = fc.commands(
  [starts, works, works, answers, answers, answers, repeats, changes, switches, configurations],
  { maxCommands: 40, size: 'max' },
);

/** @returns the outcomes that occurred */
async function walk(script: RuleBook['script'], steps: Iterable<Step>): Promise<Set<string>> {
  const seen = new Set<string>();
  const rules = new RuleBook(script);
  const service = new Service(script, (outcome) => seen.add(outcome.split(' ')[0] as string));
  await service.configure(rules.configuration);
  for (const name of NAMES) {
    const person = personOf(name, true, name === 'cat', name !== 'ann');
    rules.people.set(name, person);
    await service.know(name, person);
  }
  rules.start('cat');
  await service.start('cat');
  await fc.asyncModelRun(() => ({ model: rules, real: service }), steps);
  return seen;
}

const RUNS = 80;

describe('who may answer, whatever changes meanwhile', () => {
  it('SUB-1 to SUB-11, TRN-5, INP-8, APP-3: the service does what the rule book says', async () => {
    await fc.assert(
      fc.asyncProperty(someScript, someSteps, async (script, steps) => {
        await walk(script, steps);
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  it('the same from one seed, whose walks get everywhere that there is something to prove', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(someScript, someSteps, async (script, steps) => {
        for (const outcome of await walk(script, steps)) seen.add(outcome);
      }),
      { numRuns: 2 * RUNS, seed: 20_300_101 },
    );
    const everywhere = ['accepted', 'replayed', 'already_answered', 'stale_turn', 'run_settled', 'invalid_input'];
    const refusals = ['submitter_not_permitted', 'approver_not_permitted', 'self_approval', 'run_not_found'];
    expect([...seen]).toEqual(expect.arrayContaining([...everywhere, ...refusals, 'released', 'not_claimable']));
  }, 120_000);
});
