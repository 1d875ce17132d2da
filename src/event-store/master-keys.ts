import { type MasterKey, MasterKeyUnusable } from './master-key.js';

/**
 * The master keys that this process can get at: the one in use and, while it is being changed, the next one. Where none
 * of those it knows fits, it looks again where they are kept, so that a change reaches a process that runs.
 */
export class MasterKeys {
  #known: readonly MasterKey[];

  /**
   * @param load reads them from where they are kept.
   * @throws {MasterKeyUnusable} there is none to begin with.
   */
  constructor(private readonly load: () => readonly MasterKey[]) {
    this.#known = load();
  }

  /** One that never changes. */
  static only(masterKey: MasterKey): MasterKeys {
    return new MasterKeys(() => [masterKey]);
  }

  /** The first of those that are known now. */
  get first(): MasterKey {
    const [first] = this.#known;
    if (first === undefined) throw new MasterKeyUnusable('missing', 'There is no master key.');
    return first;
  }

  withCheckValue(value: Uint8Array): MasterKey | undefined {
    const fitting = () => this.#known.find((key) => Buffer.compare(key.checkValue, value) === 0);
    return fitting() ?? (this.#lookAgain() ? fitting() : undefined);
  }

  /** @throws {Error} none of them wrapped these bytes for this purpose. */
  unwrap(wrapped: Uint8Array, boundTo: string): Buffer {
    const unwrapped = this.#unwrapped(wrapped, boundTo) ?? (this.#lookAgain() && this.#unwrapped(wrapped, boundTo));
    if (!unwrapped) throw new Error('no known master key unwraps this');
    return unwrapped;
  }

  #unwrapped(wrapped: Uint8Array, boundTo: string): Buffer | undefined {
    for (const key of this.#known) {
      try {
        return key.unwrap(wrapped, boundTo);
      } catch {}
    }
    return undefined;
  }

  /** False where they cannot be read at the moment; those that were known stay known. */
  #lookAgain(): boolean {
    try {
      this.#known = this.load();
      return true;
    } catch (error) {
      if (error instanceof MasterKeyUnusable) return false;
      throw error;
    }
  }
}
