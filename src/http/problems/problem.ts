import type { JsonObject } from '../../events/json.js';

/*
 * Every "no" of the interface, RFC 9457. A problem says what is wrong in words of ours; it never repeats what was sent
 * and never holds content.
 */

interface ProblemDeclaration {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

export const PROBLEMS = {
  'invalid-request': {
    status: 400,
    title: 'Invalid request',
    detail: 'The request does not have the form that this call takes; `errors` says where.',
  },
  unauthenticated: {
    status: 401,
    title: 'Unauthenticated',
    detail: 'The call needs a bearer token that is neither unknown, expired nor revoked.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    detail: 'The caller is disabled, or may not make this kind of call.',
  },
  'submitter-not-permitted': {
    status: 403,
    title: 'Submitter not permitted',
    detail: 'The caller may not use a tool of this turn, so that their answer would not be executed.',
  },
  'approver-not-permitted': {
    status: 403,
    title: 'Approver not permitted',
    detail: 'The caller may not use a tool of this turn that writes, so that they cannot release it either.',
  },
  'self-approval': {
    status: 403,
    title: 'Self-approval',
    detail: 'The configuration wants somebody else than the owner of the run to approve. Denying is possible.',
  },
  'not-found': { status: 404, title: 'Not found', detail: 'There is nothing at this address.' },
  'run-not-found': { status: 404, title: 'Run not found', detail: 'There is no such run.' },
  'no-pause': { status: 404, title: 'No pause', detail: 'The run does not wait for anybody.' },
  'configuration-not-found': {
    status: 404,
    title: 'Configuration not found',
    detail: 'There is no such configuration.',
  },
  'principal-not-found': { status: 404, title: 'Principal not found', detail: 'There is no such principal.' },
  'tool-not-found': { status: 404, title: 'Tool not found', detail: 'No tool is registered under this name.' },
  'source-not-found': { status: 404, title: 'Source not found', detail: 'There is no such snippet or skill.' },
  'token-not-found': { status: 404, title: 'Token not found', detail: 'The principal has no such token.' },
  'request-timeout': { status: 408, title: 'Request timeout', detail: 'The request took too long to arrive.' },
  'not-awaiting-input': {
    status: 409,
    title: 'Not awaiting input',
    detail: 'The run does not wait for input; `runStatus` says what it does.',
  },
  'not-awaiting-approval': {
    status: 409,
    title: 'Not awaiting approval',
    detail: 'The run does not wait for approval; `runStatus` says what it does.',
  },
  'not-awaiting-resolution': {
    status: 409,
    title: 'Not awaiting resolution',
    detail: 'The run does not wait for the outcome of this call; `runStatus` says what it does.',
  },
  'already-answered': {
    status: 409,
    title: 'Already answered',
    detail: 'Another answer was accepted for this turn.',
  },
  'stale-turn': {
    status: 409,
    title: 'Stale turn',
    detail: 'The answer does not name the turn that the run waits with now; `pause` says which that is.',
  },
  'idempotency-key-reused': {
    status: 409,
    title: 'Idempotency key reused',
    detail: 'Another request was made under this idempotency key.',
  },
  'run-settled': { status: 409, title: 'Run settled', detail: 'The run has come to its end; nothing changes it.' },
  'run-not-settled': {
    status: 409,
    title: 'Run not settled',
    detail: 'The run still needs its content; cancel it first. `runStatus` says what it does.',
  },
  'configuration-gone': {
    status: 409,
    title: 'Configuration gone',
    detail: 'The configuration does not exist, or does not exist any more.',
  },
  'context-blocked': {
    status: 409,
    title: 'Context blocked',
    detail: 'A source is too sensitive for the trust zone that the run can reach.',
  },
  'self-lockout': {
    status: 409,
    title: 'Self-lockout',
    detail: 'Nobody can take from themselves what they need to come back in; another administrator can.',
  },
  'subject-taken': {
    status: 409,
    title: 'Subject taken',
    detail: 'Another principal has this subject of the OpenID issuer; take it from them first.',
  },
  'too-many-tokens': {
    status: 409,
    title: 'Too many tokens',
    detail: 'The principal has as many usable tokens as one may have; revoke one first.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition failed',
    detail: 'The document is not the version that the request names; read it again.',
  },
  'payload-too-large': { status: 413, title: 'Payload too large', detail: 'A body has at most 256 KiB.' },
  'address-too-long': { status: 414, title: 'Address too long', detail: 'A part of the address is too long.' },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    detail: 'A body is JSON in UTF-8, sent as application/json.',
  },
  'invalid-input': {
    status: 422,
    title: 'Invalid input',
    detail:
      'The data does not fit what was asked for; `errors` says where. Nothing was taken, and it can be sent again.',
  },
  'rate-limited': {
    status: 429,
    title: 'Rate limited',
    detail: 'There were too many such calls in a short time; `Retry-After` says when the next one is admitted.',
  },
  'headers-too-large': { status: 431, title: 'Headers too large', detail: 'The header fields are too large.' },
  internal: {
    status: 500,
    title: 'Internal error',
    detail: 'Something went wrong here; the log says what, under the correlation id.',
  },
  'corrupt-suspended-state': {
    status: 500,
    title: 'Corrupt suspended state',
    detail: 'What the run waits with cannot be read; nothing was written.',
  },
  'issuer-unavailable': {
    status: 503,
    title: 'Issuer unavailable',
    detail: 'The OpenID issuer did not answer in time, so that nobody can tell whether the token is one of its own.',
  },
  'not-ready': {
    status: 503,
    title: 'Not ready',
    detail: 'This process cannot serve calls at the moment; `checks` says why.',
  },
  'store-unavailable': {
    status: 503,
    title: 'Store unavailable',
    detail: 'The store did not answer in time. It is unknown or untrue that anything was written; a repeat is safe.',
  },
} as const satisfies Record<string, ProblemDeclaration>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Where a request is at fault: a JSON pointer into its body, `` for all of it or for what is not in the body. */
export interface RequestFault {
  readonly pointer: string;
  readonly message: string;
}

/** A "no" on its way to the client. */
export class Problem extends Error {
  override readonly name = 'Problem';
  constructor(
    readonly code: ProblemCode,
    /** What the code alone does not tell; never content. */
    readonly members: JsonObject = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(code);
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }

  /** The body, as `application/problem+json`. */
  body(): JsonObject {
    const { status, title, detail } = PROBLEMS[this.code];
    return { type: problemType(this.code), title, status, code: this.code, detail, ...this.members };
  }
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export function problemType(code: ProblemCode): string {
  return `urn:holdpoint:problem:${code}`;
}

const MOST_FAULTS = 50;

export function invalidRequest(faults: readonly RequestFault[]): Problem {
  return new Problem('invalid-request', {
    errors: faults.slice(0, MOST_FAULTS).map(({ pointer, message }) => ({ pointer, message })),
  });
}
