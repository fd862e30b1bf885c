import { execFile } from 'node:child_process';
import { Verify, X509Certificate } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { makeAuthority, makeSigner } from '../certificates.ts';
import { encoded } from '../der.ts';
import { SIGNATURE_LIMITS } from '../elements.ts';
import { checkSignature } from '../signature-gate.ts';
import { content, documentOf } from './helpers/cms.ts';
import { copies, trusted } from './helpers/hostile-certificates.ts';
import { signedWith } from './helpers/hostile-signatures.ts';
import { attributesOf, certificatesOf, type Node, signersOf, tree, written } from './helpers/signature-tree.ts';
import type { Tried } from './helpers/try-hostile-signatures.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('./helpers/try-hostile-signatures.ts', import.meta.url));
const check = (bytes: Uint8Array, authorities: X509Certificate[] = []) =>
  checkSignature(bytes, documentOf(content), { level: 'check', authorities, now: new Date() });

const SEED = '31';
/** Fifteen of each family. */
const COUNT = 315;

test('each hostile signature is judged in bounded time and memory', async () => {
  const args = ['--max-semi-space-size=2', program, SEED, String(COUNT)];
  const { found, grownMb } = JSON.parse((await run(process.execPath, args)).stdout) as Tried;
  const lines = Object.values(found);
  expect(lines.reduce((sum, { passed, refused }) => sum + passed + refused, 0)).toBe(COUNT);
  expect(lines.filter(({ passed }) => passed > 0).length).toBeGreaterThan(10);
  expect(Math.max(...lines.map(({ slowestMs }) => slowestMs))).toBeLessThan(1000);
  expect(Math.max(...lines.map(({ longestText }) => longestText))).toBeLessThan(400);
  expect(grownMb).toBeLessThan(128);
});

test('no certificate is tried twice as the issuer of another, whatever their names', async () => {
  const stranger = makeAuthority({ commonName: 'CA' });
  const signer = makeSigner('p-256', { authority: stranger });
  const authorities = [new X509Certificate(trusted.certificate)];
  const verify = vi.spyOn(Verify.prototype, 'verify');
  const [strangers, known] = [copies(stranger, 7), copies(trusted, 7)];
  expect(await check(await signedWith(strangers, signer), authorities)).toMatchObject({ passed: false });
  expect(await check(await signedWith([...strangers, ...known]), authorities)).toMatchObject({ passed: true });
  expect(verify.mock.calls.length).toBeGreaterThan(8);
  expect(verify.mock.calls.length).toBeLessThan(8 + 7 * 15);
});

/** A change of a good signature that gives it `count` of something. */
const oid = { tag: 0x06, value: Buffer.of(42) };
type Grown = (signature: Node, count: number) => void;
const filled = (list: Node[], count: number) =>
  void list.push(...Array<Node>(count - list.length).fill(list[0] as Node));

test.each<[keyof typeof SIGNATURE_LIMITS, Grown, RegExp]>([
  ['signers', (signature, count) => filled(signersOf(signature), count), /more than 16 signers/],
  ['certificates', (signature, count) => filled(certificatesOf(signature), count), /more than 64 certificates/],
  ['attributes', (signature, count) => filled(attributesOf(signature), count), /more than 64 attributes/],
  [
    'certificateBytes',
    (signature, count) => certificatesOf(signature).push({ tag: 0x30, value: encoded(0x04, Buffer.alloc(count - 8)) }),
    /more than 32768 bytes in a certificate/,
  ],
  [
    'attributesBytes',
    (signature, count) => {
      const attributes = attributesOf(signature);
      const left = count - 4 - Buffer.concat(attributes.map((one) => written(one))).length;
      attributes.push({ tag: 0x30, value: [oid, { tag: 0x31, value: encoded(0x04, Buffer.alloc(left - 15)) }] });
    },
    /more than 32768 bytes in signed attributes/,
  ],
  [
    'identifierBytes',
    (signature, count) => {
      const algorithm = signersOf(signature)[0]?.value[2] as Node;
      algorithm.value = [{ tag: 0x06, value: Buffer.alloc(count, 1) }];
    },
    /more than 64 bytes in an object identifier/,
  ],
  [
    'depth',
    (signature, count) => {
      let inner: Buffer = Buffer.of(0x05, 0);
      // The values of an attribute are in level 8.
      for (let level = 8; level < count; level += 1) inner = encoded(0x30, inner);
      attributesOf(signature).push({ tag: 0x30, value: [oid, tree(encoded(0x31, inner))] });
    },
    /more than 40 levels/,
  ],
])('a signature is read with as many %s as the limit says, and refused with one more', async (name, grow, problem) => {
  const of = async (count: number) => {
    const signature = tree(await signedWith([]));
    grow(signature, count);
    const verdict = await check(written(signature));
    return verdict.passed ? (verdict.unchecked?.problem ?? '') : verdict.problem;
  };
  expect(await of(SIGNATURE_LIMITS[name])).not.toMatch(/more than/);
  expect(await of(SIGNATURE_LIMITS[name] + 1)).toMatch(problem);
});
