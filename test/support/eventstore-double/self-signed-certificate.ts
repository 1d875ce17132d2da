import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const ECDSA_WITH_SHA256 = sequence(der(0x06, Buffer.from([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])));
const COMMON_NAME = der(0x06, Buffer.from([0x55, 0x04, 0x03]));
const SUBJECT_ALT_NAME = der(0x06, Buffer.from([0x55, 0x1d, 0x11]));
const BASIC_CONSTRAINTS = der(0x06, Buffer.from([0x55, 0x1d, 0x13]));
const DAY_MS = 86_400_000;

/** A new certificate for `localhost` and 127.0.0.1 that signs itself (RFC 5280), good for a day, and its key; both PEM. */
export function selfSignedCertificate(): { readonly certificate: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('localhost')))));
  const altNames = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    sequence(SUBJECT_ALT_NAME, der(0x04, altNames)),
    sequence(BASIC_CONSTRAINTS, der(0x04, sequence(der(0x01, Buffer.from([0xff]))))),
  );
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ...randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS)),
    name,
    publicKeyInfo(publicKey),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', toBeSigned, privateKey)]));
  const certificate = sequence(toBeSigned, ECDSA_WITH_SHA256, signature);
  return { certificate: pem(certificate), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/** One value in DER: tag, length, content. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...values: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(values));
}

function utcTime(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x17, Buffer.from(digits.slice(2)));
}

function publicKeyInfo(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
