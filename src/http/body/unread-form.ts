import { Problem } from '../problems/problem.js';
import { MOST_BODY_BYTES } from './most-body-bytes.js';

/** The posted fields of a page as they came: bytes, read only once it is known that they come from the page itself. */
export class UnreadForm {
  constructor(private readonly bytes: Uint8Array) {}

  /** Whether it is more than a body may be. It got this far so that whoever sent it sees a page. */
  get isTooLarge(): boolean {
    return this.bytes.length > MOST_BODY_BYTES;
  }

  /**
   * Names and values as `application/x-www-form-urlencoded` has them; what is not UTF-8 is replaced.
   *
   * @throws {Problem} `payload-too-large`
   */
  read(): URLSearchParams {
    if (this.isTooLarge) throw new Problem('payload-too-large');
    return new URLSearchParams(new TextDecoder().decode(this.bytes));
  }
}
