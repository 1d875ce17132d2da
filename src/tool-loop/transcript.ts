import { EventUnreadable } from '../event-store/codec.js';
import type { StreamKeys } from '../event-store/key-store.js';
import { ERASED } from '../event-store/sealing.js';
import type { Streams } from '../event-store/streams.js';
import type { Content } from '../events/event.js';
import type { JsonObject } from '../events/json.js';
import type { CallContent, CallResolved, InputSubmitted, ModelResponded, RunStarted } from '../events/run-events.js';
import type { PromptMessage } from '../models/model-provider.js';
import type { RunProgress, TranscriptEvent } from '../run/run-state.js';

/** The content that a segment needs was erased, or does not open: the run cannot go on. */
export class TranscriptUnreadable extends Error {
  override readonly name = 'TranscriptUnreadable';
  constructor(
    readonly errorClass: 'content_erased' | 'unreadable_content',
    options?: ErrorOptions,
  ) {
    super(`the transcript cannot be read: ${errorClass}`, options);
  }
}

/**
 * What the model has been told and has said, in the clear. Opened once at the start of a segment and then kept in
 * memory alone; nothing of it is ever stored like this.
 */
export class Transcript {
  private readonly prompt: PromptMessage[] = [];
  private calls = new Map<string, CallContent>();
  private answersOfTurn: JsonObject = {};

  private constructor(
    private readonly streams: Streams,
    private readonly keys: StreamKeys,
  ) {}

  /** @throws {TranscriptUnreadable} @throws {StoreUnavailable} */
  static async open(streams: Streams, stream: string, run: RunProgress): Promise<Transcript> {
    const transcript = new Transcript(streams, await streams.keys.find(stream));
    for (const event of run.transcript) transcript.record(event);
    const answer = run.turn?.answer;
    if (answer?.kind === 'input') {
      const content = transcript.contentOf(answer.submitted) as unknown as InputSubmitted['content'];
      transcript.answersOfTurn = content.answers;
    }
    return transcript;
  }

  get messages(): readonly PromptMessage[] {
    return this.prompt;
  }

  /** A call of the latest turn as the model wrote it. */
  call(callId: string): CallContent {
    const call = this.calls.get(callId);
    if (call === undefined) throw new TranscriptUnreadable('unreadable_content');
    return call;
  }

  /** What the person answered to a call of the latest turn; undefined where they did not. */
  answer(callId: string): JsonObject | undefined {
    return Object.hasOwn(this.answersOfTurn, callId) ? (this.answersOfTurn[callId] as JsonObject) : undefined;
  }

  /** Takes in an event that the segment recorded. */
  record(event: TranscriptEvent): void {
    const content = this.contentOf(event);
    switch (event.type) {
      case 'RunStarted': {
        const { messages } = content as unknown as RunStarted['content'];
        this.prompt.push(
          ...messages.map(
            ({ role, content: text }): PromptMessage =>
              role === 'assistant' ? { role, content: text, calls: [] } : { role, content: text },
          ),
        );
        return;
      }
      case 'ModelResponded': {
        const { text, calls } = content as unknown as ModelResponded['content'];
        this.calls = new Map(calls.map((call) => [call.callId, call]));
        this.answersOfTurn = {};
        this.prompt.push({ role: 'assistant', content: text, calls });
        return;
      }
      case 'ToolCallCompleted':
        this.addResult(event.data.callId, (content as unknown as { content: string }).content);
        return;
      case 'CallResolved':
        this.addResult(
          event.data.callId,
          resolutionText(event.data.verdict, content as unknown as CallResolved['content']),
        );
        return;
    }
  }

  private addResult(callId: string, content: string): void {
    this.prompt.push({ role: 'tool', callId, toolName: this.call(callId).toolName, content });
  }

  private contentOf(event: Parameters<Streams['codec']['open']>[0]): Content {
    try {
      const content = this.streams.codec.open(event, this.keys);
      if (content === ERASED) throw new TranscriptUnreadable('content_erased');
      return content;
    } catch (error) {
      if (error instanceof EventUnreadable) throw new TranscriptUnreadable('unreadable_content', { cause: error });
      throw error;
    }
  }
}

function resolutionText(verdict: 'executed' | 'not_executed' | 'fail', content: CallResolved['content']): string {
  if (verdict !== 'executed') return 'Error: the call was interrupted, and a person found that it was not executed.';
  return typeof content.result === 'string' ? content.result : JSON.stringify(content.result);
}
