import { IssuerUnavailable } from './issuer-unavailable.js';

export interface FetchBounds {
  /** For the whole answer. */
  readonly timeoutMs: number;
  readonly mostBytes: number;
}

/**
 * Gets a JSON document. Redirects are not followed: an issuer whose document is elsewhere is another issuer.
 *
 * @throws {IssuerUnavailable} whatever went wrong
 */
export async function fetchJson(url: string, { timeoutMs, mostBytes }: FetchBounds): Promise<unknown> {
  try {
    const response = await fetch(url, {
      redirect: 'error',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      throw new Error('the answer is not a document');
    }
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await bytesOf(response.body, mostBytes)));
  } catch (error) {
    throw new IssuerUnavailable('the issuer did not answer with a document', { cause: error });
  }
}

async function bytesOf(body: ReadableStream<Uint8Array>, mostBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels what is still to come.
    if (bytes > mostBytes) throw new Error('the document is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
