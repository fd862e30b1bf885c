import { randomBytes } from 'node:crypto';
import { type WeierstrassPoint, type WeierstrassPointCons, weierstrass } from '@noble/curves/abstract/weierstrass.js';
import { encoded, encodeOid, sequence } from './der.ts';
import {
  BIT_STRING,
  type Element,
  elementAt,
  elementsIn,
  identifierText,
  OBJECT_IDENTIFIER,
  OCTET_STRING,
} from './elements.ts';
import { type GostCurve, gostCurves } from './gost-curves.ts';
import { InvalidSignature } from './reasons.ts';
import { type GostDigest, gostDigests } from './signature-algorithms.ts';

/** A public key of GOST R 34.10-2012. */
export interface GostKey {
  /** The digest algorithm of the key's signatures. */
  digest: GostDigest;
  Point: WeierstrassPointCons<bigint>;
  point: WeierstrassPoint<bigint>;
}

const KEY_DIGESTS = ['streebog256', 'streebog512'] as const;
const points = new Map<GostCurve, WeierstrassPointCons<bigint>>();

/** The arithmetic of a curve. It is created once, because it precomputes tables. */
export function pointsOf(curve: GostCurve): WeierstrassPointCons<bigint> {
  const Point = points.get(curve) ?? weierstrass(curve);
  points.set(curve, Point);
  return Point;
}

/**
 * Reads the public key from a certificate's SubjectPublicKeyInfo (RFC 9215, section 4).
 * @throws InvalidSignature if the key cannot be used.
 */
export function readGostKey(info: Element, curves = gostCurves): GostKey {
  const [algorithm, bits] = elementsIn(info.content);
  const [type, parameters] = algorithm ? elementsIn(algorithm.content) : [];
  const digest = KEY_DIGESTS.find((name) => type && gostDigests[name].key === identifierText(type.content));
  const [set, forDigest] = parameters ? elementsIn(parameters.content) : [];
  const curve = set?.tag === OBJECT_IDENTIFIER ? curves.get(identifierText(set.content)) : undefined;
  if (!digest || !curve) throw new InvalidSignature('CRYPTO_CONSTRAINTS_FAILURE.parameterSet');
  if (forDigest?.tag === OBJECT_IDENTIFIER && identifierText(forDigest.content) !== gostDigests[digest].identifier)
    throw new InvalidSignature('CRYPTO_CONSTRAINTS_FAILURE.otherDigest');
  // One octet for the number of unused bits, then an octet string.
  const octets = bits?.tag === BIT_STRING && bits.content[0] === 0 ? elementAt(bits.content, 1) : undefined;
  const { length } = gostDigests[digest];
  if (octets?.tag !== OCTET_STRING || octets.content.length !== 2 * length)
    throw new InvalidSignature('CRYPTO_CONSTRAINTS_FAILURE.keyBytes', { bytes: 2 * length });
  if ((curve.p >> 256n === 0n) !== (length === 32))
    throw new InvalidSignature('CRYPTO_CONSTRAINTS_FAILURE.otherLength');
  const [x, y] = [octets.content.subarray(0, length), octets.content.subarray(length)].map(littleEndian);
  return gostKey(digest, curve, { x: x as bigint, y: y as bigint });
}

/** @throws InvalidSignature if the point is not on the curve or does not have the order n. */
export function gostKey(digest: GostDigest, curve: GostCurve, affine: { x: bigint; y: bigint }): GostKey {
  const Point = pointsOf(curve);
  try {
    const point = Point.fromAffine(affine);
    point.assertValidity();
    return { digest, Point, point };
  } catch {
    throw new InvalidSignature('CRYPTO_CONSTRAINTS_FAILURE.point');
  }
}

/** Verifies a signature: s, then r, big-endian (RFC 7091, section 6.2; RFC 9215, section 3). The digest is little-endian. */
export function isGostSignature(
  { digest: name, Point, point }: GostKey,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  const { length } = gostDigests[name];
  if (digest.length !== length || signature.length !== 2 * length) return false;
  const [s, r] = [bigEndian(signature.subarray(0, length)), bigEndian(signature.subarray(length))];
  const { Fn } = Point;
  if (s === 0n || r === 0n || s >= Fn.ORDER || r >= Fn.ORDER) return false;
  const v = Fn.inv(numberOf(digest, Fn.ORDER));
  const c = Point.BASE.mulAddUnsafe(Fn.mul(s, v), point, Fn.neg(Fn.mul(r, v)));
  return !c.is0() && Fn.create(c.x) === r;
}

/** A private key for tests and local use only: signing does not take constant time, which can reveal the key. */
export interface GostPrivateKey {
  digest: GostDigest;
  curve: GostCurve;
  d: bigint;
}

export function makeGostKey(digest: GostDigest, curve: GostCurve): GostPrivateKey {
  return { digest, curve, d: randomScalar(curve) };
}

/** The SubjectPublicKeyInfo of a private key (RFC 9215, section 4). */
export function gostPublicKey({ digest, curve, d }: GostPrivateKey, parameterSet: string): Buffer {
  const { length, key } = gostDigests[digest];
  const { x, y } = pointsOf(curve).BASE.multiply(d).toAffine();
  const octets = Buffer.concat([octetsOf(x, length).reverse(), octetsOf(y, length).reverse()]);
  return sequence(
    sequence(encodeOid(key), sequence(encodeOid(parameterSet))),
    encoded(BIT_STRING, Buffer.of(0), encoded(OCTET_STRING, octets)),
  );
}

/** Signs a digest (RFC 7091, section 6.1). Returns s, then r, big-endian. Only tests of the RFC's example pass `k`. */
export function signGost({ curve, d }: GostPrivateKey, digest: Uint8Array, k = randomScalar(curve)): Buffer {
  const { Fn, BASE } = pointsOf(curve);
  const r = Fn.create(BASE.multiply(k).x);
  const s = Fn.add(Fn.mul(r, d), Fn.mul(k, numberOf(digest, Fn.ORDER)));
  if (r === 0n || s === 0n) return signGost({ digest: 'streebog256', curve, d }, digest);
  return Buffer.concat([octetsOf(s, digest.length), octetsOf(r, digest.length)]);
}

/** RFC 7091, section 6.1, step 2: zero is replaced by 1. */
function numberOf(digest: Uint8Array, order: bigint): bigint {
  return littleEndian(digest) % order || 1n;
}

/** A random number from 1 to n - 1. 16 octets more than n has keep the distribution uniform. */
function randomScalar({ n }: GostCurve): bigint {
  return (bigEndian(randomBytes(80)) % (n - 1n)) + 1n;
}

const bigEndian = (octets: Uint8Array) => BigInt(`0x${Buffer.from(octets).toString('hex')}`);
const littleEndian = (octets: Uint8Array) => bigEndian(Uint8Array.from(octets).reverse());
const octetsOf = (number: bigint, length: number) => Buffer.from(number.toString(16).padStart(2 * length, '0'), 'hex');
