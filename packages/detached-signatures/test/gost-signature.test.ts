import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificateParts } from '../certificate-parts.ts';
import { encoded, encodeOid, sequence } from '../der.ts';
import { elementAt } from '../elements.ts';
import { type GostCurve, gostCurves } from '../gost-curves.ts';
import {
  gostKey,
  gostPublicKey,
  isGostSignature,
  makeGostKey,
  pointsOf,
  readGostKey,
  signGost,
} from '../gost-signature.ts';
import { type GostDigest, gostDigests } from '../signature-algorithms.ts';
import { Streebog } from '../streebog.ts';
import { rfc9215 } from './helpers/rfc9215.ts';

/** RFC 7091, section 7.1: the curves of its examples. RFC 9215 has certificates with them. No certificate in use has them. */
const test256: GostCurve = {
  p: 0x8000000000000000000000000000000000000000000000000000000000000431n,
  a: 7n,
  b: 0x5fbff498aa938ce739b8e022fbafef40563f6e6a3472fc2a514c0ce9dae23b7en,
  n: 0x8000000000000000000000000000000150fe8a1892976154c59cfc193accf5b3n,
  h: 1n,
  Gx: 2n,
  Gy: 0x08e2a8a0e65147d4bd6316030e16d19c85c97f0a9ca267122b96abbcea7e8fc8n,
};
/** Section 7.2. */
const test512: GostCurve = {
  p: 0x4531acd1fe0023c7550d267b6b2fee80922b14b2ffb90f04d4eb7c09b5d2d15df1d852741af4704a0458047e80e4546d35b8336fac224dd81664bbf528be6373n,
  a: 7n,
  b: 0x1cff0806a31116da29d8cfa54e57eb748bc5f377e49400fdd788b649eca1ac4361834013b2ad7322480a89ca58e0cf74bc9e540c2add6897fad0a3084f302adcn,
  n: 0x4531acd1fe0023c7550d267b6b2fee80922b14b2ffb90f04d4eb7c09b5d2d15da82f2d7ecb1dbac719905c5eecc423f1d86e25edbe23c595d644aaf187e6e6dfn,
  h: 1n,
  Gx: 0x24d19cc64572ee30f396bf6ebbfd7a6c5213b3b3d7057cc825f91093a68cd762fd60611262cd838dc6b60aa7eee804e28bc849977fac33b4b530f1b120248a9an,
  Gy: 0x2bb312a43bd2ce6e0d020613c857acddcfbf061e91e5f2c3f32447c259f39b2c83ab156d77f1496bf7eb3351e1ee4e43dc1a18b91b24640b6dbb92cb1add371en,
};

const examples = [
  {
    digest: 'streebog256',
    curve: test256,
    d: 0x7a929ade789bb9be10ed359dd39a72c11b60961f49397eee1d19ce9891ec3b28n,
    k: 0x77105c9b20bcd3122823c8cf6fcc7b956de33814e95b7fe64fed924594dceab3n,
    hash: '2dfbc1b372d89a1188c09c52e0eec61fce52032ab1022e8e67ece6672b043ee5',
    r: '41aa28d2f1ab148280cd9ed56feda41974053554a42767b83ad043fd39dc0493',
    s: '01456c64ba4642a1653c235a98a60249bcd6d3f746b631df928014f6c5bf9c40',
  },
  {
    digest: 'streebog512',
    curve: test512,
    d: 0x0ba6048aadae241ba40936d47756d7c93091a0e8514669700ee7508e508b102072e8123b2200a0563322dad2827e2714a2636b7bfd18aadfc62967821fa18dd4n,
    k: 0x0359e7f4b1410feacc570456c6801496946312120b39d019d455986e364f365886748ed7a44b3e794434006011842286212273a6d14cf70ea3af71bb1ae679f1n,
    hash: '3754f3cfacc9e0615c4f4a7c4d8dab531b09b6f9c170c533a71d147035b0c5917184ee536593f4414339976c647c5d5a407adedb1d560c4fc6777d2972075b8c',
    r: '2f86fa60a081091a23dd795e1e3c689ee512a3c82ee0dcc2643c78eea8fcacd35492558486b20f1c9ec197c90699850260c93bcbcd9c5c3317e19344e173ae36',
    s: '1081b394696ffe8e6585e7a9362d26b6325f56778aadbc081c0bfbe933d52ff5823ce288e8c4f362526080df7f70ce406a6eeb1f56919cb92a9853bde73e5b4a',
  },
] as const;

test.each(examples)('the example of RFC 7091 with $digest', ({ digest, curve, d, k, hash, r, s }) => {
  const octets = Buffer.from(hash, 'hex').reverse();
  const signature = signGost({ digest, curve, d }, octets, k);
  expect(signature.toString('hex')).toBe(s + r);
  const key = gostKey(digest, curve, pointsOf(curve).BASE.multiply(d).toAffine());
  expect(isGostSignature(key, octets, signature)).toBe(true);
  octets[3] = (octets[3] as number) ^ 1;
  expect(isGostSignature(key, octets, signature)).toBe(false);
});

const withExamples = new Map([
  ...gostCurves,
  ['1.2.643.2.2.35.0', test256] as const,
  ['1.2.643.7.1.2.1.2.0', test512] as const,
]);

test.each(Object.entries(rfc9215))('the certificate of RFC 9215, %s, is signed with its own key', (_name, base64) => {
  const certificate = new X509Certificate(Buffer.from(base64, 'base64'));
  const { key: info, body, signature } = certificateParts(certificate);
  const key = readGostKey(info, withExamples);
  const digest = (octets: Buffer) => new Streebog(gostDigests[key.digest].length).update(octets).digest();
  expect(isGostSignature(key, digest(body), signature)).toBe(true);
  body[20] = (body[20] as number) ^ 1;
  expect(isGostSignature(key, digest(body), signature)).toBe(false);
});

test('the parameter sets of examples are not for use', () => {
  const { key } = certificateParts(new X509Certificate(Buffer.from(rfc9215['A.1'], 'base64')));
  expect(() => readGostKey(key)).toThrow('its parameter set is not one of');
});

const sets = [...gostCurves].map(([set, curve]) => [set, curve] as const);
const digestFor = ({ p }: GostCurve): GostDigest => (p >> 256n === 0n ? 'streebog256' : 'streebog512');

test.each(sets)('signatures with the parameter set %s verify, and its numbers fit one another', (set, curve) => {
  const { BASE, Fn } = pointsOf(curve);
  BASE.assertValidity();
  // n times G is zero.
  expect(
    BASE.multiply(curve.n - 1n)
      .add(BASE)
      .is0(),
  ).toBe(true);
  expect(Fn.ORDER).toBe(curve.n);
  const digest = digestFor(curve);
  const key = makeGostKey(digest, curve);
  const hash = new Streebog(gostDigests[digest].length).update(Buffer.from(set)).digest();
  const signature = signGost(key, hash);
  const read = readGostKey(elementAt(gostPublicKey(key, set)));
  expect(isGostSignature(read, hash, signature)).toBe(true);
  signature[0] = (signature[0] as number) ^ 1;
  expect(isGostSignature(read, hash, signature)).toBe(false);
});

test('a digest of zero counts as 1, in signing and in verifying', () => {
  const curve = gostCurves.get('1.2.643.7.1.2.1.1.1') as GostCurve;
  const key = makeGostKey('streebog256', curve);
  const read = readGostKey(elementAt(gostPublicKey(key, '1.2.643.7.1.2.1.1.1')));
  expect(isGostSignature(read, Buffer.alloc(32), signGost(key, Buffer.alloc(32)))).toBe(true);
});

test('a value is not valid a second time with n added to s, although it is the same number modulo n', () => {
  const curve = gostCurves.get(SET) as GostCurve;
  const [key, hash] = [makeGostKey('streebog256', curve), Buffer.alloc(32, 7)];
  const read = readGostKey(elementAt(gostPublicKey(key, SET)));
  const signature = signGost(key, hash);
  const s = BigInt(`0x${signature.subarray(0, 32).toString('hex')}`) + curve.n;
  const again = Buffer.concat([Buffer.from(s.toString(16).padStart(64, '0'), 'hex'), signature.subarray(32)]);
  expect(isGostSignature(read, hash, signature)).toBe(true);
  expect(isGostSignature(read, hash, again)).toBe(false);
});

const SET = '1.2.643.7.1.2.1.1.1';
const good = gostPublicKey(makeGostKey('streebog256', gostCurves.get(SET) as GostCurve), SET);
const info = (octets: Buffer, { set = SET, key = gostDigests.streebog256.key, more = [] as Buffer[] } = {}) =>
  sequence(
    sequence(encodeOid(key), sequence(encodeOid(set), ...more)),
    encoded(0x03, Buffer.of(0), encoded(0x04, octets)),
  );
const octets = good.subarray(-64);
/** x of a point of order 2 on the curve A: a root of x³ + ax + b. Its y is 0. */
const root = Buffer.from('0100fe73f595ff158e974b44d478d9588744fe5c192ac47ea63075dce7a14aaa', 'hex').reverse();

test.each<[string, Buffer, string]>([
  [
    'a point that is not on the curve',
    info(Buffer.from(octets).fill((octets[63] as number) ^ 1, 63)),
    'not on the curve',
  ],
  ['the zero point', info(Buffer.alloc(64)), 'not on the curve'],
  ['numbers that are not below p', info(Buffer.alloc(64, 0xff)), 'not on the curve'],
  ['a point of order 2', info(Buffer.concat([root, Buffer.alloc(32)])), 'not on the curve'],
  ['too few bytes', info(octets.subarray(1)), 'does not have 64 bytes'],
  ['too many bytes', info(Buffer.concat([octets, octets])), 'does not have 64 bytes'],
  ['a foreign parameter set', info(octets, { set: '1.2.840.10045.3.1.7' }), 'parameter set'],
  ['a parameter set of 512 bits', info(octets, { set: '1.2.643.7.1.2.1.2.1' }), 'another length'],
  [
    'a parameter set of 256 bits for a key of 512',
    info(Buffer.concat([octets, octets]), { key: gostDigests.streebog512.key }),
    'another length',
  ],
  ['another digest', info(octets, { more: [encodeOid(gostDigests.streebog512.identifier)] }), 'another digest'],
  [
    'no parameters',
    sequence(sequence(encodeOid(gostDigests.streebog256.key)), encoded(0x03, Buffer.of(0))),
    'parameter',
  ],
  ['another kind of key', info(octets, { key: '1.2.643.2.2.19' }), 'parameter set'],
])('a key with %s is refused in one sentence, at once', (_what, bytes, problem) => {
  const start = process.threadCpuUsage();
  expect(() => readGostKey(elementAt(bytes))).toThrow(problem);
  expect(process.threadCpuUsage(start).user / 1000).toBeLessThan(100);
});

test('a digest of another length is not signed by anything', () => {
  const key = readGostKey(elementAt(good));
  expect(isGostSignature(key, Buffer.alloc(64, 1), Buffer.alloc(64, 1))).toBe(false);
});
