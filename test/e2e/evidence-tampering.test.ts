import { createHash, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signedBytes } from '../../commands/evidence/manifest.ts';
import { makeSigner } from '../../packages/detached-signatures/certificates.ts';
import { createDetachedSignature } from '../../packages/detached-signatures/create-signature.ts';
import {
  DOCUMENT,
  flipped,
  MANIFEST,
  MANIFEST_SIGNATURE,
  ORDER_JSON,
  openEvidence,
  TIMELINE,
  verify,
} from '../helpers/evidence-archive.ts';
import { edit, type Files, pack, packCompressed, rechained, replaced } from '../helpers/tampered-archive.ts';

const TO_SIGN = 'to-sign/round-1/application-1-1.pdf';
const SIGNATURE = 'signatures/round-1/application-1-1.pdf.p7s';
const OTHER_SIGNATURE = 'signatures/round-1/application-1-2.pdf.p7s';

const { paths, original } = await openEvidence();

const withFile = (path: string, bytes: Buffer) => pack(paths.tampered, new Map(original).set(path, bytes));

/** The timeline after a change of its lines, with a manifest whose hashes fit. */
function withTimeline(change: (lines: Record<string, unknown>[]) => unknown[]): Promise<string> {
  const text = Buffer.from(JSON.stringify(change(JSON.parse(String(original.get(TIMELINE))))));
  return pack(paths.tampered, rechained(new Map(original).set(TIMELINE, text), listAs(TIMELINE, text)));
}

/** Lists other bytes for a file of the manifest. */
function listAs(path: string, bytes: Buffer): Parameters<typeof rechained>[1] {
  const digest = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  return ({ files }) => void Object.assign(files.find((file) => file.path === path) ?? {}, digest);
}

/** A manifest that somebody else signed. */
async function signedByAnother(files: Files): Promise<Buffer> {
  const { privateKey, certificate, keyType } = makeSigner('p-256');
  const digest = createHash('sha256')
    .update(signedBytes(files.get(MANIFEST) ?? Buffer.alloc(0)))
    .digest();
  const signed = async (data: Uint8Array) => sign('sha256', data, privateKey);
  const request = { digest, digestAlgorithm: 'sha256', keyType, certificates: [certificate], sign: signed } as const;
  return Buffer.from(await createDetachedSignature({ ...request, signingTime: new Date() }));
}

const SIGNATURE_WRONG = `${MANIFEST_SIGNATURE}: manifest signature wrong`;

/** How an archive is tampered with, and what the check says of it. */
const tamperings: [name: string, tamper: () => Promise<string> | string, faults: string[]][] = [
  ['a document changed', () => withFile(DOCUMENT, flipped(original.get(DOCUMENT))), [`${DOCUMENT}: changed`]],
  [
    'a file removed',
    () => {
      const files = new Map(original);
      files.delete('offers/offers.json');
      return pack(paths.tampered, files);
    },
    ['offers/offers.json: removed'],
  ],
  [
    'a file added',
    () => withFile('package/documents/waiver.pdf', Buffer.from('new')),
    ['package/documents/waiver.pdf: added'],
  ],
  [
    'a document changed, and its digest in the manifest',
    () => {
      const bytes = flipped(original.get(DOCUMENT));
      const before = createHash('sha256')
        .update(original.get(DOCUMENT) ?? '')
        .digest('hex');
      const after = createHash('sha256').update(bytes).digest('hex');
      const manifest = Buffer.from(String(original.get(MANIFEST)).replace(before, after));
      return pack(paths.tampered, new Map(original).set(DOCUMENT, bytes).set(MANIFEST, manifest));
    },
    [`${MANIFEST}: chain broken`, SIGNATURE_WRONG],
  ],
  [
    'a document changed, and the manifest with its whole chain',
    () => {
      const bytes = flipped(original.get(DOCUMENT));
      return pack(paths.tampered, rechained(new Map(original).set(DOCUMENT, bytes), listAs(DOCUMENT, bytes)));
    },
    [SIGNATURE_WRONG],
  ],
  [
    'the manifest written anew and signed by somebody else',
    async () => {
      const files = rechained(original, ({ about }) => void Object.assign(about, { stage: 'prod' }));
      return pack(paths.tampered, files.set(MANIFEST_SIGNATURE, await signedByAnother(files)));
    },
    [`${MANIFEST_SIGNATURE}: certificate wrong`],
  ],
  [
    'the signature of the manifest removed',
    () => {
      const files = rechained(original, ({ about }) => void Object.assign(about, { signed: false }));
      files.delete(MANIFEST_SIGNATURE);
      return pack(paths.tampered, files);
    },
    [`${MANIFEST_SIGNATURE}: manifest signature missing`],
  ],
  [
    'a detached signature replaced by that of another document, and the manifest signed anew',
    async () => {
      const bytes = original.get(OTHER_SIGNATURE) ?? Buffer.alloc(0);
      const files = rechained(new Map(original).set(SIGNATURE, bytes), listAs(SIGNATURE, bytes));
      return pack(paths.tampered, files.set(MANIFEST_SIGNATURE, await signedByAnother(files)));
    },
    [`${MANIFEST_SIGNATURE}: certificate wrong`, `${SIGNATURE}: detached signature wrong`],
  ],
  [
    'a signed document changed',
    () => withFile(TO_SIGN, flipped(original.get(TO_SIGN))),
    [`${TO_SIGN}: changed`, `${SIGNATURE}: detached signature wrong`],
  ],
  [
    'a line of the timeline removed',
    () => withTimeline((lines) => lines.filter(({ number }) => number !== 3)),
    [SIGNATURE_WRONG, `${TIMELINE}: timeline line removed`],
  ],
  [
    'a line of the timeline changed',
    () =>
      withTimeline((lines) =>
        lines.map((line) => (line.number === 3 ? { ...line, at: '2025-12-31T00:00:00.000Z' } : line)),
      ),
    [SIGNATURE_WRONG, `${TIMELINE}: timeline line changed`],
  ],
  [
    'two lines of the timeline in another order',
    () => withTimeline(([one, other, ...rest]) => [other, one, ...rest]),
    [SIGNATURE_WRONG, `${TIMELINE}: timeline line moved`],
  ],
  [
    'the archive truncated',
    () => edit(paths.archive, paths.tampered, (bytes) => bytes.subarray(0, -30)),
    ['not a whole archive'],
  ],
  [
    'two files with one name',
    async () => {
      const path = await withFile('package/order.jsom', Buffer.from('{}'));
      return edit(path, path, (bytes) => replaced(bytes, 'package/order.jsom', ORDER_JSON));
    },
    [`${ORDER_JSON}: name twice`],
  ],
  ['a file outside of the folder', () => withFile('../../evil.sh', Buffer.from('#!')), ['../../evil.sh: unsafe name']],
  [
    'a second manifest',
    () => withFile(`other/${MANIFEST}`, original.get(MANIFEST) ?? Buffer.alloc(0)),
    [`other/${MANIFEST}: second manifest`],
  ],
  [
    'a file that unpacks to far more than it is',
    () => packCompressed(paths.tampered, new Map([['bomb.bin', Buffer.alloc(5_000_000)]])),
    ['not as it was packed'],
  ],
  [
    'the size of a file in the list',
    () =>
      edit(paths.archive, paths.tampered, (bytes) => {
        const at = bytes.lastIndexOf(ORDER_JSON) - 46;
        bytes.writeUInt32LE(0x7fffffff, at + 20);
        bytes.writeUInt32LE(0x7fffffff, at + 24);
        return bytes;
      }),
    ['not as it was packed'],
  ],
  [
    'bytes behind the archive',
    () => edit(paths.archive, paths.tampered, (bytes) => Buffer.concat([bytes, Buffer.from('more')])),
    ['not a whole archive'],
  ],
  [
    'a name in front of a file that is not the one in the list',
    () =>
      edit(paths.archive, paths.tampered, (bytes) => {
        bytes.write('x', bytes.indexOf(DOCUMENT), 'latin1');
        return bytes;
      }),
    [`${DOCUMENT}: not as it was packed`],
  ],
];

describe('a tampered archive is found out:', () => {
  test.each(tamperings)('%s', async (_name, tamper, faults) => {
    const found = await verify(await tamper(), '--cert', paths.authority);
    expect(found.faults).toEqual(faults);
    expect(found.code).toBe(1);
  });
});
