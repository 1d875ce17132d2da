/** Bytes of a body. A stored event has room for whatever fits into one. */
export const MOST_BODY_BYTES = 256 * 1024;
