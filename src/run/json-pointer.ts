/** JSON Pointers (RFC 6901), by which faults, schema positions and form fields are named. */

/** The pointer of the member or item `token` of the value at `parent`. */
export function pointerTo(parent: string, token: string | number): string {
  return `${parent}/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
