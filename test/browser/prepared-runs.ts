import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { SqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { HOSTILE } from '../support/form-tools.js';
import type { InboxInBrowser } from './browser.js';

/*
 * Runs in every state in which a page can show one. Each is brought about as it comes about in life, where that is possible
 * from outside; what only broken machinery causes is written into the log.
 */

/** What had to be prepared, by name. */
export interface Place {
  readonly inbox: InboxInBrowser;
  readonly runs: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<'olga' | 'gina' | 'nora', string>>;
}

const call = (toolName: string, args: object = {}) => ({ toolName, arguments: args });
const REFUND = call('issue_refund', { orderId: '2077', amountCents: 24_900 });
const DELIVERY = call('ask_delivery_window', { orderId: '1042', date: '2020-01-01', slot: 'morning' });

/** Reasons to settle that no request brings about, or only after many failures. */
const FORCED = [
  'context_blocked',
  'suspend_failed',
  'configuration_gone',
  'corrupt_state',
  'provider_failed',
  'retries_exhausted',
] as const;

/** Runs in every state, and the people who look at them. */
export async function prepare(inbox: InboxInBrowser): Promise<Place> {
  const { service } = inbox;
  const tokens = {
    nora: await service.principal('nora', { kind: 'person' }),
    olga: await service.principal('olga', { kind: 'person' }),
    gina: await service.principal('gina', { kind: 'person', grants: ['agent_approve'] }),
  };
  const secret = { name: 'Server passwords', content: 'x', dataClass: 'secret_adjacent', active: true };
  await service.call('PUT', '/snippets/passwords', secret);
  await service.call('PUT', '/policies/data-class-enforcement', { mode: 'enforce' });
  await inbox.configure('refunding', [{ calls: [REFUND] }]);
  await inbox.configure('refunding-for-four-eyes', [{ calls: [REFUND] }], { requireSecondApprover: true });
  await inbox.configure('delivering-twice', [{ calls: [DELIVERY] }, { calls: [DELIVERY] }]);
  await inbox.configure('delivering', [{ calls: [DELIVERY] }]);
  await inbox.configure('travelling', [{ calls: [call('plan_trip')] }]);
  await inbox.configure('asking-two', [{ calls: [DELIVERY, call('plan_trip')] }]);
  await inbox.configure('looking', [{ calls: [call('lookup_order', { orderId: '1' })] }]);
  await inbox.configure('secret', [{ calls: [DELIVERY] }], { snippetIds: ['passwords'] });
  await inbox.configure('refused', [{ error: { status: 400 } }]);
  await inbox.configure('slow', [{ delayMs: 600_000 }]);
  await inbox.configure('breaking-off', [{ calls: [call('break_off', { orderId: '2077', amountCents: 12_000 })] }]);
  await inbox.configure('pretending-to-ask', [{ calls: [call('ask_under_pretence', HOSTILE)] }]);
  await inbox.configure('pretending-to-write', [
    { calls: [call('write_under_pretence', HOSTILE)] },
    { text: Object.values(HOSTILE).join('\n') },
  ]);
  await inbox.configure('leaving', [{ calls: [DELIVERY] }]);

  const runs: Record<string, string> = {};
  const start = async (name: string, configuration: string, more: Parameters<InboxInBrowser['run']>[1] = {}) => {
    runs[name] = await inbox.run(configuration, more);
  };
  // Two of them, so that one is left to be told what became of the other.
  await start('uncertain', 'breaking-off');
  await start('uncertain-to-end', 'breaking-off');
  for (const name of ['uncertain', 'uncertain-to-end']) {
    await approveToTheEnd(inbox, runs[name] ?? '');
    await inbox.waitUntilGone();
    await inbox.bringBack();
    await untilStatus(inbox, runs[name] ?? '', 'waiting_for_resolution');
  }
  const resolution = {
    callId: await openCall(inbox, runs['uncertain-to-end'] ?? ''),
    verdict: 'fail',
    note: 'No trace.',
  };
  await inbox.service.call('POST', `/runs/${runs['uncertain-to-end']}/resolution`, resolution);

  await start('input', 'delivering');
  await start('trip', 'travelling');
  await start('two', 'asking-two');
  await start('approval', 'refunding');
  await start('approval of olga', 'refunding', { token: tokens.olga });
  await start('ledger', 'demo-ledger');
  await start('four eyes', 'refunding-for-four-eyes', { token: tokens.gina });
  await start('stale', 'delivering');
  await start('answered', 'delivering');
  await start('answered before', 'delivering-twice');
  await start('gone', 'leaving');
  await inbox.service.call('DELETE', '/configurations/leaving');
  await start('finished', 'demo-refund');
  await decide(inbox, runs.finished ?? '', true);
  await start('denied', 'refunding');
  await decide(inbox, runs.denied ?? '', false);
  await start('max_iterations', 'looking', { maxIterations: 1 });
  await start('blocked', 'secret');
  await inbox.configure('secret', [], { snippetIds: ['passwords'], trustZone: 'external_global' });
  await start('not_retryable', 'refused');
  await start('cancelled', 'delivering');
  await inbox.service.call('POST', `/runs/${runs.cancelled}/cancel`);
  await start('erased', 'looking');
  await inbox.service.call('DELETE', `/runs/${runs.erased}/content`);
  await start('pretends to ask', 'pretending-to-ask');
  await start('pretends to write', 'pretending-to-write');
  await start('pretended', 'pretending-to-write');
  await decide(inbox, runs.pretended ?? '', true);
  runs.working = (await inbox.service.call('POST', '/runs', { configurationId: 'slow', input: 'go' })).body.id;
  await start('unreadable', 'delivering');
  makeUnreadable(inbox, runs.unreadable ?? '');
  for (const reason of FORCED) {
    await start(reason, 'delivering');
    await fail(inbox, runs[reason] ?? '', reason);
  }
  return { inbox, runs, tokens };
}

async function openCall(inbox: InboxInBrowser, runId: string): Promise<string> {
  return (await inbox.service.call('GET', `/runs/${runId}`)).body.pause.requests[0].callId;
}

async function digest(inbox: InboxInBrowser, runId: string): Promise<string> {
  return (await inbox.service.call('GET', `/runs/${runId}`)).body.pause.turnDigest;
}

async function decide(inbox: InboxInBrowser, runId: string, approved: boolean): Promise<void> {
  const turnDigest = await digest(inbox, runId);
  const comment = 'As agreed on the telephone.';
  await inbox.service.call('POST', `/runs/${runId}/approval`, { turnDigest, approved, comment }, { prefer: 'wait=20' });
}

/** The process may be gone before it has answered. */
async function approveToTheEnd(inbox: InboxInBrowser, runId: string): Promise<void> {
  const turnDigest = await digest(inbox, runId);
  await inbox.service.call('POST', `/runs/${runId}/approval`, { turnDigest, approved: true }).catch(() => undefined);
}

async function untilStatus(inbox: InboxInBrowser, runId: string, status: string): Promise<void> {
  while ((await inbox.service.call('GET', `/runs/${runId}`)).body.status !== status) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Puts sealed content into its pause that belongs elsewhere, as no one could who has no write access to the files. */
function makeUnreadable(inbox: InboxInBrowser, runId: string): void {
  const database = openDatabase(join(inbox.dataDir, 'events.sqlite'));
  database.exec(`UPDATE events SET data = json_set(data, '$.sealed', (
      SELECT json_extract(data, '$.sealed') FROM events WHERE stream = 'run-${runId}' AND type = 'RunStarted'))
    WHERE stream = 'run-${runId}' AND type = 'RunSuspendedForInput'`);
  database.close();
}

/** Writes the end of a run into the log, and waits until the pages know. */
async function fail(inbox: InboxInBrowser, runId: string, reason: string): Promise<void> {
  const store = SqliteEventStore.open({ path: join(inbox.dataDir, 'events.sqlite') });
  const stream = `run-${runId}`;
  const events = await store.read(stream);
  const metadata = {
    $correlationId: 'test',
    schemaVersion: 1,
    actor: { kind: 'worker', id: 'w1' },
    at: new Date().toISOString(),
  };
  const data = { reason, errorClass: 'none' };
  const failed = {
    id: randomUUID(),
    type: 'RunFailed',
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  };
  await store.append(stream, events.length - 1, [failed]);
  await store.close();
  await untilStatus(inbox, runId, 'failed');
}
