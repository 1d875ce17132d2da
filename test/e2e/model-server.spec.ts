import type { ChatMessage } from '../support/chat-request-rules.js';
import { ModelDesk } from '../support/model-desk.js';
import type { Received, Reply, ServedCall } from '../support/openai-server.js';
import { STORES } from '../support/store-under-test.js';

/*
 * Runs on a model server that speaks the OpenAI format over real HTTP and is as strict as the strictest: what it is sent,
 * what comes of what it answers, and what of its failures. Each test has a model, and so a script, of its own.
 */
describe.each(STORES)('a run on a model server, with its log on %s', (_name, open) => {
  let desk: ModelDesk;

  beforeAll(async () => {
    desk = await ModelDesk.open(await open());
  }, 60_000);

  afterAll(() => desk.close());

  const says = (text: string): Reply => ({ kind: 'completion', text });
  const calls = (...calls: ServedCall[]): Reply => ({ kind: 'completion', calls });
  const lookUp = (id: unknown, orderId: string): ServedCall => ({
    id,
    function: { name: 'lookup_order', arguments: JSON.stringify({ orderId }) },
  });
  const ask = (id: string): ServedCall => ({
    id,
    function: { name: 'ask_delivery_window', arguments: '{"orderId":"1","date":"1999-01-01","floor":9}' },
  });

  /** Of a request: its calls and their results, in the order in which they stand. */
  function callsAndResults(request: Received | undefined): string[] {
    return (request?.body.messages ?? []).flatMap(({ role, tool_calls = [], tool_call_id, content }: ChatMessage) =>
      role === 'tool'
        ? [`${tool_call_id} = ${content}`]
        : tool_calls.map((call) => `${call.id}: ${call.function.name}`),
    );
  }

  it('LIF-8 LIF-2 asks with the system prompt first, the messages in their order, the options and the tools', async () => {
    const { requests } = await desk.model(
      'prompted',
      [says('so it is')],
      {},
      {
        systemPrompt: 'You are brief.',
        allowedTools: ['lookup_order', 'read_ledger'],
      },
    );
    const done = await desk.run('prompted', {
      messages: [
        { role: 'user', content: 'Is it? ✓' },
        { role: 'assistant', content: 'Perhaps.' },
        { role: 'system', content: 'Decide.' },
      ],
      options: { temperature: 0.5, topP: 0.25, maxOutputTokens: 77, seed: 4 },
    });
    expect(done).toMatchObject({ status: 'completed', outcome: { reason: 'finished', content: 'so it is' } });
    const [asked] = requests;
    expect(asked?.body).toMatchObject({
      model: 'prompted',
      messages: [
        { role: 'system', content: 'You are brief.' },
        { role: 'user', content: 'Is it? ✓' },
        { role: 'assistant', content: 'Perhaps.' },
        { role: 'system', content: 'Decide.' },
      ],
      temperature: 0.5,
      top_p: 0.25,
      max_tokens: 77,
      seed: 4,
    });
    expect(asked?.body.tools?.map((tool) => tool.function.name)).toEqual(['lookup_order', 'read_ledger']);
    expect(asked?.body.tools?.[1]?.function.parameters).toMatchObject({
      properties: { account: { pattern: '^[A-Z]{2}[0-9]{6}$' } },
    });
    expect(asked?.headers.authorization).toBeUndefined();
  }, 60_000);

  it('LIF-3 LIF-4 executes the calls of a turn in their order and shows the model one result for each', async () => {
    const { requests } = await desk.model('parallel', [
      {
        ...calls(
          lookUp('b', '2'),
          { id: 'bad', function: { name: 'lookup_order', arguments: '{"orderId": "3"' } },
          { id: 'twice', function: { name: 'lookup_order', arguments: '{"orderId":"4","orderId":"5"}' } },
          { id: 'large', function: { name: 'lookup_order', arguments: '{"orderId":9007199254740993}' } },
          { id: 'unfit', function: { name: 'lookup_order', arguments: '{"orderId":6,"more":true}' } },
          { id: 'none', function: { name: 'open the door!', arguments: '{}' } },
          lookUp('a', '1'),
        ),
        text: 'Several things.',
      } as Reply,
      says('done'),
    ]);
    const done = await desk.run('parallel');
    expect(done).toMatchObject({ status: 'completed', iterations: 2, usage: { inputTokens: 20, outputTokens: 10 } });
    const order = (orderId: string) => expect.stringContaining(`{"orderId":"${orderId}","item":"oak bookshelf"`);
    expect(callsAndResults(requests[1])).toEqual([
      'b: lookup_order',
      'bad: lookup_order',
      'twice: lookup_order',
      'large: lookup_order',
      'unfit: lookup_order',
      expect.stringMatching(/^none: [A-Za-z0-9_-]+$/),
      'a: lookup_order',
      order('2'),
      expect.stringMatching(/^bad = Error: the arguments are not a valid JSON object/),
      expect.stringMatching(/^twice = Error: the arguments are not a valid JSON object/),
      expect.stringMatching(/^large = Error: the arguments are not a valid JSON object/),
      expect.stringMatching(/^unfit = Error: the arguments do not fit the parameters of the tool\.\n/),
      'none = Error: there is no tool of this name.',
      order('1'),
    ]);
    expect(requests[1]?.body.messages.find(({ role }) => role === 'assistant')?.content).toBe('Several things.');
    const completed = await desk.events(done.id, 'ToolCallCompleted');
    expect(completed.map((event: { callId: string; refusal: string }) => [event.callId, event.refusal])).toEqual([
      ['b', null],
      ['bad', 'malformed_arguments'],
      ['twice', 'malformed_arguments'],
      ['large', 'malformed_arguments'],
      ['unfit', 'invalid_arguments'],
      ['none', 'unknown_tool'],
      ['a', null],
    ]);
  }, 60_000);

  it('LIF-3 gives every call an id of its own, whatever the server calls it, through the whole run', async () => {
    const { requests } = await desk.model('unnamed', [
      calls(lookUp('same', '1'), lookUp('same', '2'), lookUp(undefined, '3'), lookUp('no id!', '4'), lookUp(5, '5')),
      calls(lookUp('same', '6')),
      says('done'),
    ]);
    expect((await desk.run('unnamed')).status).toBe('completed');
    const shown = callsAndResults(requests[2]);
    const ids = shown.flatMap((line) => /^(.+): lookup_order$/.exec(line)?.[1] ?? []);
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(6);
    expect(ids[0]).toBe('same');
    expect(ids.every((id) => /^[A-Za-z0-9_-]{1,64}$/.test(id))).toBe(true);
    ids.forEach((id, index) => {
      expect(shown.filter((line) => line.startsWith(`${id} = `))).toEqual([
        expect.stringContaining(`"orderId":"${index + 1}"`),
      ]);
    });
  }, 60_000);

  it('LIF-3 INP-6 adds tokens up through a pause, and goes on with the person’s values in the result', async () => {
    const used = (prompt_tokens: number, completion_tokens: number) => ({
      usage: { prompt_tokens, completion_tokens },
    });
    const { requests } = await desk.model('asking', [
      { kind: 'completion', calls: [lookUp('look', '1')], ...used(100, 10) },
      { kind: 'completion', calls: [ask('ask'), lookUp('beside', '2')], ...used(1_000, 20) },
      { kind: 'completion', text: 'in passing', calls: [lookUp('again', '3')], usage: null },
      { kind: 'completion', text: 'arranged', ...used(10_000, 30) },
    ]);
    const waiting = await desk.run('asking');
    expect(waiting).toMatchObject({ status: 'waiting_for_input', usage: { inputTokens: 1_100, outputTokens: 30 } });
    expect(waiting.pause.requests).toEqual([{ callId: 'ask', toolName: 'ask_delivery_window' }]);
    const { body: done } = await desk.service.call(
      'POST',
      `/runs/${waiting.id}/input`,
      { turnDigest: waiting.pause.turnDigest, data: { date: '2030-05-02', slot: 'evening' } },
      { prefer: 'wait=60' },
    );
    expect(done).toMatchObject({ status: 'completed', usage: { inputTokens: 11_100, outputTokens: 60 } });
    expect(callsAndResults(requests[2]).slice(2)).toEqual([
      'ask: ask_delivery_window',
      'beside: lookup_order',
      'ask = {"orderId":"1","agreed":{"date":"2030-05-02","slot":"evening","floor":null,"callFirst":null}}',
      expect.stringMatching(/^beside = /),
    ]);
    expect(callsAndResults(requests[3]).slice(-1)).toEqual([expect.stringMatching(/^again = /)]);
  }, 60_000);

  it('SUB-7 APP-2 tells the model of a denial in place of each result, and goes on with what it says then', async () => {
    const refund = { id: 'r', function: { name: 'issue_refund', arguments: '{"orderId":"1","amountCents":5}' } };
    const { requests } = await desk.model('denied', [calls(refund, lookUp('beside', '2')), says('then not')]);
    const { id, pause } = await desk.run('denied');
    const { body: done } = await desk.service.call(
      'POST',
      `/runs/${id}/approval`,
      { turnDigest: pause.turnDigest, approved: false, comment: 'too much' },
      { prefer: 'wait=60' },
    );
    expect(done).toMatchObject({ status: 'completed', outcome: { reason: 'finished', content: 'then not' } });
    // Asked once more, with the tools at hand, and nothing is asked again of its own accord.
    expect(requests).toHaveLength(2);
    expect(callsAndResults(requests[1])).toEqual([
      'r: issue_refund',
      'beside: lookup_order',
      'r = Error: a person denied this call. It was not executed.',
      'beside = Error: a person denied this call. It was not executed.',
    ]);
    expect(JSON.stringify(requests[1]?.body)).not.toContain('too much');
    expect(requests[1]?.body.tools?.length).toBeGreaterThan(0);
  }, 60_000);

  it('LIF-2 has no tools field where the run allows none, and completes with the one answer that comes', async () => {
    const { requests } = await desk.model('bare', [{ ...calls(lookUp('x', '1')), text: 'as you like' } as Reply]);
    const done = await desk.run('bare', { input: 'go', allowedTools: [] });
    expect(done).toMatchObject({ status: 'completed', outcome: { reason: 'finished', content: 'as you like' } });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body).not.toHaveProperty('tools');
    const events = await desk.events(done.id);
    expect(events.map((event: { type: string }) => event.type)).toEqual([
      'RunStarted',
      'RunClaimed',
      'ModelResponded',
      'ToolCallCompleted',
      'RunCompleted',
    ]);
  }, 60_000);

  it('LIF-3 closes a run at its limit with one more answer, asked without tools and marked as cut short', async () => {
    const { requests } = await desk.model('endless', [
      calls(lookUp('a', '1')),
      calls(lookUp('b', '2')),
      says('this is what I have'),
    ]);
    const done = await desk.run('endless', { input: 'go', maxIterations: 2 });
    expect(done).toMatchObject({
      status: 'completed',
      outcome: { reason: 'max_iterations', truncated: true, content: 'this is what I have' },
    });
    // How many there are is the affair of whoever adds a tool to the demonstration.
    expect(requests.map(({ body }) => (body.tools?.length ?? 0) > 0)).toEqual([true, true, false]);
    expect(requests[2]?.body).not.toHaveProperty('tools');
    expect(callsAndResults(requests[2]).slice(-1)).toEqual([expect.stringMatching(/^b = /)]);
  }, 60_000);
});
