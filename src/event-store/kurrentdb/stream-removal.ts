import { ANY, StreamDeletedError, WrongExpectedVersionError } from '@eventstore/db-client';
import { RevisionConflict } from '../errors.js';
import type { KurrentDbConnection } from './kurrentdb-connection.js';

/** Removes a stream that can begin anew; its revisions go on. Removing what is not there succeeds. @throws {StoreUnavailable} */
export function removeStream(connection: KurrentDbConnection, stream: string): Promise<void> {
  const { client, callOptions } = connection;
  return removed(connection, () => client.deleteStream(stream, { ...callOptions, expectedRevision: ANY }));
}

/** Removes a stream for ever: there is no beginning it anew. Removing what is not there succeeds. @throws {StoreUnavailable} */
export function removeForEver(connection: KurrentDbConnection, stream: string): Promise<void> {
  const { client, callOptions } = connection;
  return removed(connection, () => client.tombstoneStream(stream, { ...callOptions, expectedRevision: ANY }));
}

/**
 * Removes a stream that is still at the revision; it can begin anew.
 *
 * @returns false when it is not, and nothing was removed.
 * @throws {StoreUnavailable}
 */
export async function removeUnchanged(
  connection: KurrentDbConnection,
  stream: string,
  revision: number,
): Promise<boolean> {
  const { client, callOptions } = connection;
  const expectedRevision = BigInt(revision);
  try {
    await connection.change(
      () => client.deleteStream(stream, { ...callOptions, expectedRevision }),
      (error) =>
        error instanceof WrongExpectedVersionError || error instanceof StreamDeletedError
          ? new RevisionConflict(stream, revision, 'no_stream')
          : undefined,
    );
    return true;
  } catch (error) {
    if (error instanceof RevisionConflict) return false;
    throw error;
  }
}

/** Hides the events of a stream before a revision; they leave the disk when the server is scavenged. @throws {StoreUnavailable} */
export function truncateBefore(connection: KurrentDbConnection, stream: string, revision: number): Promise<void> {
  const { client, callOptions } = connection;
  return removed(connection, () =>
    client.setStreamMetadata(stream, { truncateBefore: revision }, { ...callOptions, expectedRevision: ANY }),
  );
}

/** A removal that finds the stream removed for ever has nothing left to do. */
async function removed(connection: KurrentDbConnection, remove: () => Promise<unknown>): Promise<void> {
  await connection.during(() =>
    connection.change(
      async () => {
        try {
          await remove();
        } catch (error) {
          if (!(error instanceof StreamDeletedError)) throw error;
        }
      },
      () => undefined,
    ),
  );
}
