import { NO_PRECONDITION, type Precondition } from '../../governance/documents.js';
import { invalidRequest } from '../problems/problem.js';

/** The strong entity tag (RFC 9110) of a document: the revision of the event that put it. */
export function entityTag(revision: number): string {
  return `"${revision}"`;
}

const TAG_LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*\s*$/;
const OUR_TAG = /(?<![/\w])"(\d{1,15})"/g;

/**
 * What the editor of a document wants to be true before it is changed: `If-Match` with the tags it may have or `*`,
 * or `If-None-Match: *` to make it only where there is none. A tag that is not of ours, or weak, matches nothing.
 *
 * @throws {Problem} `invalid-request`
 */
export function precondition(ifMatch: string | undefined, ifNoneMatch: string | undefined): Precondition {
  if (ifMatch !== undefined && ifNoneMatch !== undefined)
    throw refused('If-Match and If-None-Match exclude each other');
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() !== '*') throw refused('If-None-Match can only be *');
    return { kind: 'does_not_exist' };
  }
  if (ifMatch === undefined) return NO_PRECONDITION;
  if (ifMatch.trim() === '*') return { kind: 'exists' };
  if (!TAG_LIST.test(ifMatch)) throw refused('If-Match must be * or a list of entity tags');
  return { kind: 'is_one_of', revisions: [...ifMatch.matchAll(OUR_TAG)].map(([, revision]) => Number(revision)) };
}

function refused(message: string) {
  return invalidRequest([{ pointer: '', message }]);
}
