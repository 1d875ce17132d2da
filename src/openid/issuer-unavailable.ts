/** The issuer did not answer as it must, so that what depends on its answer cannot be told now. Trying again is safe. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}
