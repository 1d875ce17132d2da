import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from './data-folder.js';

/**
 * A word that occurs nowhere by itself, planted wherever content can be and then looked for in bytes, in every form that
 * a careless program might have given it.
 */
export class PlantedWord {
  private readonly word = `q${randomBytes(9).toString('hex')}W`;
  private readonly forms = formsOf(this.word);

  /** The word with the name of the place where it is planted; letters, digits and hyphens. */
  at(place: string): string {
    return `${this.word}-${place}`;
  }

  /** Where the word is in the bytes, one line for each form: the form, and what stands around it. */
  findIn(bytes: Uint8Array): string[] {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return [...this.forms].flatMap(([form, needle]) => {
      const place = buffer.indexOf(needle);
      if (place === -1) return [];
      const around = buffer.subarray(Math.max(0, place - 80), place + needle.length + 60);
      return [`${form}: ${around.toString('latin1').replaceAll(/[^\x20-\x7e]+/g, '·')}`];
    });
  }

  /** The same for every file below a folder, each line with the file's name. */
  findInFolder(folder: string): string[] {
    return filesIn(folder).flatMap((file) =>
      this.findIn(readFileSync(join(folder, file))).map((line) => `${file}: ${line}`),
    );
  }
}

/** The bytes of a text in each form; those of base64 are what is the same whatever stands before and behind it. */
export function formsOf(text: string): ReadonlyMap<string, Buffer> {
  const utf16 = Buffer.from(text, 'utf16le');
  const escaped = (unit: (code: string) => string) =>
    [...text].map((character) => unit(character.charCodeAt(0).toString(16))).join('');
  const forms: [string, Buffer | string][] = [
    ['UTF-8', text],
    ['UTF-16LE', utf16],
    ['UTF-16BE', Buffer.from(utf16).swap16()],
    ['hex', Buffer.from(text).toString('hex')],
    ['HEX', Buffer.from(text).toString('hex').toUpperCase()],
    ['JSON escapes', escaped((code) => `\\u${code.padStart(4, '0')}`)],
    ['JSON ESCAPES', escaped((code) => `\\u${code.toUpperCase().padStart(4, '0')}`)],
    ['percent-encoded', escaped((code) => `%${code}`)],
    ['PERCENT-ENCODED', escaped((code) => `%${code.toUpperCase()}`)],
  ];
  for (const encoding of ['base64', 'base64url'] as const) {
    for (const before of [0, 1, 2]) {
      const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString(encoding);
      const whole = Math.floor(((before + Buffer.byteLength(text)) * 4) / 3);
      forms.push([`${encoding} at ${before}`, encoded.slice(Math.ceil((before * 4) / 3), whole)]);
    }
  }
  return new Map(forms.map(([form, bytes]) => [form, Buffer.from(bytes as string)]));
}
