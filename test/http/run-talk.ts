import type { HttpAnswer, HttpService } from './http-service.js';

export interface ScriptedCall {
  readonly callId: string;
  readonly toolName: string;
  readonly arguments: object | string;
}

/** What the model says, turn by turn: calls, or the text that ends the run. */
export type Script = readonly (readonly ScriptedCall[] | string)[];

export interface TimelineEntry {
  readonly type: string;
  readonly callId?: string;
  readonly outcome?: string;
  readonly refusal?: string | null;
}

/** Starts runs and answers them over HTTP, as the administrator unless a token says otherwise. */
export class RunTalk {
  private scripts = 0;

  constructor(private readonly service: HttpService) {}

  /** A run that was started and not worked on yet. */
  async started(script: Script, token?: string): Promise<string> {
    const turns = script.map((turn) => (typeof turn === 'string' ? { text: turn } : { calls: turn }));
    const body = { provider: { kind: 'scripted', turns }, trustZone: 'local' };
    this.scripts += 1;
    const configurationId = `talk-${this.scripts}`;
    await this.service.call('PUT', `/configurations/${configurationId}`, { body });
    const start = { configurationId, input: 'go' };
    return (await this.service.call('POST', '/runs', { body: start, ...(token && { token }) })).body.id;
  }

  /** A run that has come to its first pause, or to its end. */
  async paused(script: Script, token?: string): Promise<string> {
    const id = await this.started(script, token);
    await this.service.work(id);
    return id;
  }

  async read(runId: string) {
    return (await this.service.call('GET', `/runs/${runId}`)).body;
  }

  async pause(runId: string) {
    return (await this.service.call('GET', `/runs/${runId}/pause`)).body;
  }

  async digest(runId: string): Promise<string> {
    return (await this.pause(runId)).turnDigest;
  }

  /** @param body all of it, or what is sent beside the digest of the pause */
  async submit(runId: string, body: object, token?: string): Promise<HttpAnswer> {
    const whole = { turnDigest: await this.digest(runId), ...body };
    return this.service.call('POST', `/runs/${runId}/input`, { body: whole, ...(token && { token }) });
  }

  async decide(runId: string, approved: boolean, named?: string, token?: string): Promise<HttpAnswer> {
    const body = { turnDigest: named ?? (await this.digest(runId)), approved };
    return this.service.call('POST', `/runs/${runId}/approval`, { body, ...(token && { token }) });
  }

  async timeline(runId: string): Promise<TimelineEntry[]> {
    return (await this.service.call('GET', `/runs/${runId}/events?limit=200`)).body.items;
  }

  /** What came of each call, in order: every call has exactly one result (LIF-3). */
  async results(runId: string) {
    const completed = (await this.timeline(runId)).filter(({ type }) => type === 'ToolCallCompleted');
    return completed.map(({ callId, outcome, refusal }) => [callId, refusal ?? outcome]);
  }
}
