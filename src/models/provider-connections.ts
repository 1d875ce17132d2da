import { Agent, fetch, type Response } from 'undici';
import { failureOfStatus, retryAfterMs } from './failure-class.js';
import { ModelCallFailed } from './model-provider.js';

/** The largest answer that is read, after decompression. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

interface ProviderPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/**
 * The HTTP connections to all providers, and the rules that hold for every one of them: no redirect is followed, no more
 * than 4 MiB are read, the body of an answer that is not 2xx is not read at all, so that nothing in it can reach a log.
 *
 * It has its own agent for two reasons. The global one gives up on a server that is silent for five minutes, whatever
 * bound the configuration sets; and it can be pointed at a proxy by the environment, which would send a run's content to
 * a party that the ceiling (SRC-2) knows nothing of.
 */
export class ProviderConnections {
  // The caller's signal bounds the whole call, so there is no second clock for its parts.
  private readonly agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

  /**
   * Posts and returns the text of a 2xx answer.
   *
   * @throws {ModelCallFailed} classified (CLM-5); once `signal` is aborted the rejection is without meaning
   */
  async post(url: string, { headers, body, signal }: ProviderPost): Promise<string> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers },
        body,
        signal,
        redirect: 'manual',
        dispatcher: this.agent,
      });
      if (!response.ok) throw await refusedBy(response);
      return await boundedText(response);
    } catch (error) {
      throw error instanceof ModelCallFailed ? error : failureOfTransport(error);
    }
  }

  /** Ends every connection, those in use included. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

async function refusedBy(response: Response): Promise<ModelCallFailed> {
  const failure = failureOfStatus(response.status, retryAfterMs(response.headers.get('retry-after'), Date.now()));
  // Unread, the body would keep its connection; that it cannot be dropped cleanly changes nothing of the failure.
  await response.body?.cancel().catch(() => undefined);
  return failure;
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early cancels the body and with it the connection.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      const cause = new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
      throw new ModelCallFailed('malformed_answer', undefined, { cause });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failureOfTransport(error: unknown): ModelCallFailed {
  const code = networkCode(error);
  const cause = new Error(code === undefined ? 'the connection failed' : `the connection failed: ${code}`);
  // A body that does not decompress came over a connection that works.
  const failureClass = code?.startsWith('Z_') ? 'malformed_answer' : 'connection';
  return new ModelCallFailed(failureClass, undefined, { cause });
}

/** The code that Node, undici or OpenSSL put on an error or on its causes. Codes are theirs, messages may quote the peer. */
function networkCode(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth += 1) {
    const { code, cause } = current as { readonly code?: unknown; readonly cause?: unknown };
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code)) return code;
    current = cause;
  }
  return undefined;
}
