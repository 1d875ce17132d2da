/** When tokens were last used, as far as this installation's processes have written it down. */
export abstract class TokenUse {
  /** A token was accepted. Cheap, never fails, and to be trusted to about a minute. */
  abstract note(principalId: string, tokenId: string): void;

  /** By token id, RFC 3339; a token that was never used is not in it. */
  abstract lastUsed(principalId: string): ReadonlyMap<string, string>;

  /** When any token of the principal was last used, RFC 3339; null: never, as far as is known. */
  latest(principalId: string): string | null {
    return [...this.lastUsed(principalId).values()].sort().at(-1) ?? null;
  }
}
