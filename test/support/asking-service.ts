import { Service } from './service.js';

const ASK = { toolName: 'ask_delivery_window', arguments: { orderId: '1' } };
const TURNS = [{ calls: [ASK] }, { text: 'the end' }];
const ANSWER = { date: '2030-05-02', slot: 'morning', floor: 3 };

/** A service with a configuration `asking`, whose runs ask one question and end when it is answered. */
export async function startAsking(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Service> {
  const service = await Service.start({ dataDir, env: { HOLDPOINT_DEMO: '1', ...env } });
  const provider = { kind: 'scripted', turns: TURNS };
  await service.call('PUT', '/configurations/asking', { provider, trustZone: 'local' });
  return service;
}

/** Starts a run and waits until it asks; its id. */
export async function startedRun(service: Service, key?: string): Promise<string> {
  const headers = { prefer: 'wait=30', ...(key === undefined ? {} : { 'idempotency-key': key }) };
  const { body } = await service.call('POST', '/runs', { configurationId: 'asking', input: 'go' }, headers);
  return body.id;
}

/** Answers a run's question and waits for its end; the run. */
export async function answeredRun(service: Service, runId: string) {
  const { body: run } = await service.call('GET', `/runs/${runId}`);
  const body = { turnDigest: run.pause?.turnDigest, data: ANSWER };
  await service.call('POST', `/runs/${runId}/input`, body, { prefer: 'wait=30' });
  return (await service.call('GET', `/runs/${runId}`)).body;
}
