import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { type DataKey, type KeyScope, keyId, type StreamKeys } from '../../src/event-store/key-store.js';
import { ERASED, keyedDigest, open, SealBroken, seal } from '../../src/event-store/sealing.js';
import type { JsonObject } from '../../src/events/json.js';

const aKey = (stream: string, scope: KeyScope = 'working'): DataKey => ({
  id: keyId(stream, scope),
  secret: randomBytes(32),
});

describe('sealing', () => {
  const stream = 'run-1';
  const eventId = randomUUID();
  const keys = { working: aKey(stream), outcome: aKey(stream, 'outcome') };
  const place = { stream, eventId };
  const content: JsonObject = { text: 'naïve 雪 \u0000', list: [1, null, { deep: true }], constructor: 'a plain key' };
  const headerOf = (sealed: string) => JSON.parse(Buffer.from(sealed.split('.')[0] ?? '', 'base64url').toString());

  it.each(['working', 'outcome'] as const)(
    'SEA-1 opens what was sealed with the %s key for the same event',
    (scope) => {
      const sealed = seal(content, { ...place, key: keys[scope] });

      expect(open(sealed, { ...place, keys })).toEqual(content);
      expect(sealed).not.toContain('naïve');
    },
  );

  it('SEA-1 opens any JSON object as it was', () => {
    const anObject = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(anObject, (object) => {
        const opened = open(seal(object, { ...place, key: keys.working }), { ...place, keys });
        expect(JSON.stringify(opened)).toBe(JSON.stringify(object));
      }),
    );
  });

  it('SEA-1 names stream, event and key in the protected header, and never seals twice alike', () => {
    const [one, other] = [1, 2].map(() => seal(content, { ...place, key: keys.working })) as [string, string];

    expect(headerOf(one)).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      kid: 'run-1/working',
      stream,
      event: eventId,
    });
    expect(one.split('.').slice(2)).not.toEqual(other.split('.').slice(2));
  });

  it('is a JWE that jose decrypts', async () => {
    const { plaintext, protectedHeader } = await compactDecrypt(
      seal(content, { ...place, key: keys.working }),
      keys.working.secret,
    );

    expect(JSON.parse(Buffer.from(plaintext).toString())).toEqual(content);
    expect(protectedHeader).toMatchObject({ kid: keys.working.id, stream, event: eventId });
  });

  it('opens a JWE that jose encrypted', async () => {
    const jwe = await new CompactEncrypt(Buffer.from(JSON.stringify(content)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keys.outcome.id, stream, event: eventId })
      .encrypt(keys.outcome.secret);

    expect(open(jwe, { ...place, keys })).toEqual(content);
  });

  it('SEA-1 does not open elsewhere: in another event, in another stream, also one with the same key', () => {
    const sealed = seal(content, { ...place, key: keys.working });
    const elsewhere: { stream: string; eventId: string; keys: StreamKeys }[] = [
      { stream, eventId: randomUUID(), keys },
      { stream: 'run-2', eventId, keys: { working: aKey('run-2') } },
      { stream: 'run-2', eventId, keys: { working: { ...keys.working, id: keyId('run-2', 'working') } } },
      { stream: 'run-2', eventId, keys },
    ];
    for (const other of elsewhere) expect(() => open(sealed, other)).toThrow(SealBroken);
  });

  it('SEA-1 does not open in the stream of its key when it was sealed for another', () => {
    const sealed = seal(content, { stream: 'run-2', eventId, key: keys.working });
    expect(() => open(sealed, { ...place, keys })).toThrow(SealBroken);
  });

  it('SEA-1 does not open when the header was rewritten for another event', () => {
    const sealed = seal(content, { ...place, key: keys.working });
    const other = randomUUID();
    const rewritten = Buffer.from(JSON.stringify({ ...headerOf(sealed), event: other })).toString('base64url');
    const moved = [rewritten, ...sealed.split('.').slice(1)].join('.');

    expect(() => open(moved, { stream, eventId: other, keys })).toThrow(SealBroken);
  });

  it('SEA-1 does not open with another key of the same name', () => {
    const sealed = seal(content, { ...place, key: keys.working });
    expect(() => open(sealed, { ...place, keys: { working: aKey(stream) } })).toThrow(SealBroken);
  });

  it('SEA-1 does not open when a bit of any character was flipped', () => {
    const sealed = seal({ text: 'short' }, { ...place, key: keys.working });
    for (let index = 0; index < sealed.length; index += 1) {
      for (let bit = 1; bit < 128; bit *= 2) {
        const flipped = String.fromCharCode(sealed.charCodeAt(index) ^ bit);
        const changed = sealed.slice(0, index) + flipped + sealed.slice(index + 1);
        expect(() => open(changed, { ...place, keys })).toThrow(SealBroken);
      }
    }
  });

  it('SEA-1 does not open what is cut, extended or no JWE of ours', async () => {
    const sealed = seal(content, { ...place, key: keys.working });
    const [header = '', , iv = '', ciphertext = '', tag = ''] = sealed.split('.');
    const headed = (members: object) =>
      new CompactEncrypt(Buffer.from('{}')).setProtectedHeader(members as never).encrypt(keys.working.secret);
    const members = { alg: 'dir', enc: 'A256GCM', kid: keys.working.id, stream, event: eventId };
    const strangers = [
      '',
      '....',
      header,
      sealed.slice(0, -1),
      `${sealed}.`,
      `${sealed}A`,
      `${header}.${tag}.${iv}.${ciphertext}.${tag}`,
      `${header}..${iv.slice(4)}.${ciphertext}.${tag}`,
      `${header}..${iv}.${ciphertext}.${tag.slice(0, 16)}`,
      `${header}..${iv}..${tag}`,
      await headed({ ...members, typ: 'more' }),
      await headed({ ...members, kid: 'run-1/other' }),
      await headed({ alg: 'dir', enc: 'A256GCM', kid: keys.working.id, stream }),
      await new CompactEncrypt(Buffer.from('["no object"]')).setProtectedHeader(members).encrypt(keys.working.secret),
      await new CompactEncrypt(Buffer.from('no JSON')).setProtectedHeader(members).encrypt(keys.working.secret),
    ];
    for (const stranger of strangers) expect(() => open(stranger, { ...place, keys })).toThrow(SealBroken);
  });

  it('SEA-2 is erased once its key is gone, whatever other key is left', () => {
    const sealed = seal(content, { ...place, key: keys.working });
    expect(open(sealed, { ...place, keys: { outcome: keys.outcome } })).toBe(ERASED);
    expect(open(sealed, { ...place, keys: {} })).toBe(ERASED);
  });

  it('LIF-4 says nothing of the content when it does not open', () => {
    const sealed = seal({ text: 'secret' }, { ...place, key: keys.working });
    const attempt = () => open(sealed, { stream, eventId: 'another', keys });
    expect(attempt).toThrow('sealed content of event another in run-1 does not open');
    expect(attempt).toThrow(expect.not.objectContaining({ cause: expect.anything() }));
  });
});

describe('keyed digests', () => {
  const key = aKey('run-1', 'outcome');

  it('SEA-2 are alike for the same key, purpose and bytes, and for nothing else', () => {
    const digest = keyedDigest(key, 'answer', 'the bytes');

    expect(keyedDigest({ ...key }, 'answer', Buffer.from('the bytes'))).toBe(digest);
    expect(digest).toMatch(/^[A-Za-z0-9_-]{43}$/);
    for (const other of [
      keyedDigest(aKey('run-1', 'outcome'), 'answer', 'the bytes'),
      keyedDigest(key, 'request', 'the bytes'),
      keyedDigest(key, 'answer', 'the byte'),
    ]) {
      expect(other).not.toBe(digest);
    }
  });
});
