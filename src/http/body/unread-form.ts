/** The posted fields of a page as they came: bytes, read only once it is known that they come from the page itself. */
export class UnreadForm {
  constructor(private readonly bytes: Uint8Array) {}

  /** Names and values as `application/x-www-form-urlencoded` has them; what is not UTF-8 is replaced. */
  read(): URLSearchParams {
    return new URLSearchParams(new TextDecoder().decode(this.bytes));
  }
}
