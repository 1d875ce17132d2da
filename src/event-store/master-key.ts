import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { DataKey } from './key-store.js';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Length of a wrapped key: nonce, ciphertext, tag. */
export const WRAPPED_BYTES = IV_BYTES + KEY_BYTES + TAG_BYTES;

/**
 * Why the start fails (SEA-4). `missing`: there is none beside an existing log. `malformed`: it is not 32 bytes in
 * base64. `exposed`: everybody on the machine can read it. `unreadable`: its file cannot be read or written. `wrong`:
 * it is not the one that the keys were wrapped with.
 */
export type MasterKeyFault = 'missing' | 'malformed' | 'exposed' | 'unreadable' | 'wrong';

/** The message is a sentence for whoever starts the service; it never shows any of the key. */
export class MasterKeyUnusable extends Error {
  override readonly name = 'MasterKeyUnusable';
  constructor(
    readonly fault: MasterKeyFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The key that wraps the keys of streams. It never leaves this class; whatever it is used for has a key of its own,
 * derived by HKDF.
 */
export class MasterKey {
  readonly #secret: Buffer;
  readonly #wrappingKey: Buffer;

  /** @param secret 32 bytes. */
  private constructor(secret: Buffer) {
    this.#secret = secret;
    this.#wrappingKey = this.#derived('wrapping of stream keys');
  }

  /**
   * Reads the one canonical base64 spelling (RFC 4648, section 4, padded) of 32 bytes.
   *
   * @param where names the place it was read from, for the message.
   * @throws {MasterKeyUnusable} `malformed`.
   */
  static parse(encoded: string, where: string): MasterKey {
    const secret = Buffer.from(encoded, 'base64');
    if (secret.length !== KEY_BYTES || secret.toString('base64') !== encoded) {
      throw new MasterKeyUnusable('malformed', `The master key in ${where} is not 32 bytes in base64 (44 characters).`);
    }
    return new MasterKey(secret);
  }

  /** A new key, in the spelling that {@link parse} reads. */
  static generate(): string {
    return randomBytes(KEY_BYTES).toString('base64');
  }

  /** Tells whether two master keys are the same, and nothing else about them. 32 bytes. */
  get checkValue(): Buffer {
    return this.#derived('check value');
  }

  /** A key for one purpose of the whole service, such as ids that are made from what a client sent. */
  derive(purpose: string): DataKey {
    return { id: `master/${purpose}`, secret: this.#derived(`service key ${purpose}`) };
  }

  /** @param key 32 bytes. @param boundTo what only {@link unwrap} with the same text opens. */
  wrap(key: Buffer, boundTo: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#wrappingKey, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(boundTo));
    return Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
  }

  /** @throws {Error} the bytes were wrapped by another key or bound to something else, or were changed. */
  unwrap(wrapped: Uint8Array, boundTo: string): Buffer {
    const iv = wrapped.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#wrappingKey, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(boundTo));
    decipher.setAuthTag(wrapped.subarray(IV_BYTES + KEY_BYTES));
    return Buffer.concat([decipher.update(wrapped.subarray(IV_BYTES, IV_BYTES + KEY_BYTES)), decipher.final()]);
  }

  #derived(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#secret, '', `holdpoint ${purpose}`, KEY_BYTES));
  }
}
