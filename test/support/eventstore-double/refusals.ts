import { Metadata, status } from '@grpc/grpc-js';

/** An error as a server sends it: a gRPC status, and what is wrong in the trailing metadata. */
export interface Refusal {
  readonly code: status;
  readonly details: string;
  readonly metadata?: Metadata;
}

export const MAX_APPEND_BYTES = 1024 * 1024;

export const notReady: Refusal = { code: status.UNAVAILABLE, details: 'Server Is Not Ready' };

export const accessDenied: Refusal = refusal(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const unauthenticated: Refusal = { code: status.UNAUTHENTICATED, details: 'Authentication failed' };

export const invalidPosition = invalidArgument('Trying to read from an invalid position.');

export const tooLarge: Refusal = refusal(
  status.INVALID_ARGUMENT,
  `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`,
  {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': `${MAX_APPEND_BYTES}`,
  },
);

export function invalidArgument(details: string): Refusal {
  return { code: status.INVALID_ARGUMENT, details };
}

export function missingProperty(name: string): Refusal {
  return refusal(status.INVALID_ARGUMENT, `Required Metadata Property '${name}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });
}

export function streamDeleted(stream: string): Refusal {
  return refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
}

export function wrongRevision(operation: string, stream: string, expected: number, actual: number): Refusal {
  return refusal(status.FAILED_PRECONDITION, `${operation} failed due to WrongExpectedVersion.`, {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': `${expected}`,
    'actual-version': `${actual}`,
  });
}

export function notLeader(host: string, port: number): Refusal {
  return refusal(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': `${port}`,
  });
}

function refusal(code: status, details: string, members: Readonly<Record<string, string>>): Refusal {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(members)) metadata.set(key, value);
  return { code, details, metadata };
}
