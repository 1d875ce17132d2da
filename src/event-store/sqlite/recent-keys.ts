import type { StreamKeys } from '../key-store.js';

/** Keys that were unwrapped lately, at most so many streams; the longest unused go first. */
export class RecentKeys {
  readonly #keys = new Map<string, StreamKeys>();
  #version: unknown;

  constructor(private readonly capacity: number) {}

  /** Forgets everything when the file has another version than before: another process may have destroyed a key. */
  keepOnlyOf(version: unknown): void {
    if (version === this.#version) return;
    this.#keys.clear();
    this.#version = version;
  }

  get(stream: string): StreamKeys | undefined {
    const keys = this.#keys.get(stream);
    if (keys !== undefined) this.set(stream, keys);
    return keys;
  }

  set(stream: string, keys: StreamKeys): void {
    this.#keys.delete(stream);
    this.#keys.set(stream, keys);
    if (this.#keys.size <= this.capacity) return;
    const [oldest] = this.#keys.keys();
    if (oldest !== undefined) this.#keys.delete(oldest);
  }

  forget(stream: string): void {
    this.#keys.delete(stream);
  }
}
