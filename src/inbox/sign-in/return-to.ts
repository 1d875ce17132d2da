/** Pages below the inbox, with a query: nothing that leads to another site or out of the inbox, however it is written. */
const BELOW = /^(?:\/[\w~-][\w.~-]*)*\/?(?:\?[\w.~%&=+:-]*)?$/;

/** The sign-in itself is no place to come back to. */
const SIGN_IN = /^\/sign-(?:in|out)(?:[/?]|$)/;

const LONGEST = 1_024;

/**
 * Where somebody goes once they are signed in.
 *
 * @param wanted what stands in an address that anybody can write: a part behind `/inbox`, such as `/runs/…`
 * @returns the same, or the list of what waits, where it is nothing of ours
 */
export function returnTo(wanted: string | null | undefined): string {
  if (wanted == null || wanted.length > LONGEST) return '';
  return BELOW.test(wanted) && !SIGN_IN.test(wanted) ? wanted : '';
}
