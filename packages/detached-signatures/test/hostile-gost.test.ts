import { X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { expect, test } from 'vitest';
import { createDetachedSignature } from '../create-signature.ts';
import { digestOf } from '../digest.ts';
import { type GostSigner, gostSign, makeGostAuthority, makeGostSigner } from '../gost-certificates.ts';
import { checkSignature } from '../signature-gate.ts';
import { content, documentOf } from './helpers/cms.ts';
import { attributesOf, certificatesOf, signersOf, tree, written } from './helpers/signature-tree.ts';

const SEED = 20_261_126;
const now = new Date();

async function signature({ certificate, key }: GostSigner): Promise<Buffer> {
  const made = await createDetachedSignature({
    digest: await digestOf(Readable.from([content]), key.digest),
    digestAlgorithm: key.digest,
    certificates: [certificate],
    keyType: 'gost',
    sign: async (data) => gostSign(key, data),
    signingTime: now,
  });
  return Buffer.from(made);
}

const check = (bytes: Uint8Array, authorities: X509Certificate[] = [], document = content) =>
  checkSignature(bytes, documentOf(document), { level: 'check', authorities, now });

/** `CHANGES=10000 npx vitest run packages/detached-signatures/test/hostile-gost.test.ts` takes some minutes. */
const changes = Number(process.env.CHANGES ?? 80);

test.each(['streebog256', 'streebog512'] as const)(
  'no signature with %s is accepted with one bit of its signed attributes, its value or its document changed',
  async (digest) => {
    const signer = makeGostSigner(digest);
    const good = await signature(signer);
    expect(await check(good)).toMatchObject({ passed: true });
    const parts = tree(good);
    const signed = [...attributesOf(parts).map((node) => written(node)), signersOf(parts)[0]?.value.at(-1)];
    const places = signed.flatMap((part) => {
      const bytes = Buffer.isBuffer(part) ? part : (part as { value: Buffer }).value;
      const start = good.lastIndexOf(bytes);
      return Array.from(bytes, (_, at) => start + at);
    });
    expect(Math.min(...places)).toBeGreaterThan(0);
    const random = xoroshiro128plus(SEED);
    for (let count = 0; count < changes / 2; count += 1) {
      const bit = uniformInt(random, 0, 8 * (places.length + content.length) - 1);
      const [place, document] = [places[bit >> 3], Buffer.from(content)];
      const bytes = Buffer.from(good);
      const [changed, at] = place === undefined ? [document, (bit >> 3) - places.length] : [bytes, place];
      changed[at] = (changed[at] as number) ^ (1 << (bit & 7));
      expect(await check(bytes, [], document), `bit ${bit}`).toMatchObject({ passed: false });
    }
  },
  60_000 + 40 * changes,
);

test('sixteen signers, and as many certificates as fit that name an authority and are not its, are judged in bounded time', async () => {
  const authority = makeGostAuthority('streebog512', { commonName: 'CA' });
  const signer = makeGostSigner('streebog512', { authority });
  const parts = tree(await signature(signer));
  const [first] = signersOf(parts);
  while (first && signersOf(parts).length < 16) signersOf(parts).push(first);
  const authorities = [new X509Certificate(authority.certificate)];
  expect(await check(written(parts), authorities)).toMatchObject({ passed: true });
  const pretender = makeGostAuthority('streebog512', { commonName: 'CA' });
  const { certificate } = makeGostSigner('streebog512', { authority: pretender });
  while (certificatesOf(parts).length < 64) certificatesOf(parts).unshift(tree(certificate));
  const start = process.threadCpuUsage();
  expect(await check(written(parts), authorities)).toMatchObject({ passed: false });
  expect(process.threadCpuUsage(start).user / 1000).toBeLessThan(1000);
});
