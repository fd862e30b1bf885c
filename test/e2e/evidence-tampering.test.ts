import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MANIFEST, MANIFEST_SIGNATURE } from '../../commands/evidence/contents.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { DOCUMENT, ORDER_JSON, openEvidence, verify } from '../helpers/evidence-archive.ts';
import {
  type Files,
  pack,
  packCompressed,
  signedByAnother,
  withListed,
  withManifest,
} from '../helpers/packed-archive.ts';

const TO_SIGN = 'to-sign/round-1/application-1-1.pdf';
const SIGNATURE = 'signatures/round-1/application-1-1.pdf.p7s';
const OTHER_SIGNATURE = 'signatures/round-1/application-1-2.pdf.p7s';
const SIGNATURE_WRONG = `${MANIFEST_SIGNATURE}: manifest signature wrong`;

const { paths, original } = await openEvidence();

const bytesOf = (path: string) => original.get(path) ?? Buffer.alloc(0);
const withFile = (path: string, bytes: Buffer) => new Map(original).set(path, bytes);

function without(files: Files, path: string): Files {
  const kept = new Map(files);
  kept.delete(path);
  return kept;
}

/** A changed copy of a file: its last byte is another one. */
function flipped(path: string): Buffer {
  const changed = Buffer.from(bytesOf(path));
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  return changed;
}

/** The files of a tampered archive, and what the check says of it. */
test.each<[name: string, tamper: () => Files | Promise<Files>, faults: string[]]>([
  ['a document changed', () => withFile(DOCUMENT, flipped(DOCUMENT)), [`${DOCUMENT}: changed`]],
  ['a file removed', () => without(original, 'offers/offers.json'), ['offers/offers.json: removed']],
  ['a file added', () => withFile('package/waiver.pdf', Buffer.from('new')), ['package/waiver.pdf: added']],
  ['a second manifest', () => withFile(`x/${MANIFEST}`, bytesOf(MANIFEST)), [`x/${MANIFEST}: added`]],
  ['a file outside of the folder', () => withFile('../../x.sh', Buffer.from('#!')), ['../../x.sh: unsafe name']],
  [
    'a document changed, and listed as it is',
    () => withListed(original, DOCUMENT, flipped(DOCUMENT)),
    [SIGNATURE_WRONG],
  ],
  [
    'a line of the timeline removed, and the timeline listed as it is',
    () => {
      const lines = JSON.parse(String(bytesOf('record/timeline.json'))) as unknown[];
      return withListed(original, 'record/timeline.json', Buffer.from(JSON.stringify(lines.toSpliced(2, 1))));
    },
    [SIGNATURE_WRONG],
  ],
  [
    'the manifest written anew and signed by somebody else',
    () => signedByAnother(withManifest(original, ({ about }) => void Object.assign(about, { stage: 'prod' }))),
    [`${MANIFEST_SIGNATURE}: certificate wrong`],
  ],
  [
    'the signature of the manifest removed',
    () =>
      without(
        withManifest(original, ({ about }) => void Object.assign(about, { signed: false })),
        MANIFEST_SIGNATURE,
      ),
    [`${MANIFEST_SIGNATURE}: manifest signature missing`],
  ],
  [
    'a detached signature replaced by that of another document, and the manifest signed anew',
    () => signedByAnother(withListed(original, SIGNATURE, bytesOf(OTHER_SIGNATURE))),
    [`${MANIFEST_SIGNATURE}: certificate wrong`, `${SIGNATURE}: detached signature wrong`],
  ],
  [
    'a signed document changed',
    () => withFile(TO_SIGN, flipped(TO_SIGN)),
    [`${TO_SIGN}: changed`, `${SIGNATURE}: detached signature wrong`],
  ],
])('a tampered archive is found out: %s', async (_name, tamper, faults) => {
  const found = await verify(await pack(paths.tampered, await tamper()), '--cert', paths.authority);
  expect(found).toMatchObject({ code: 1, faults });
});

/** The same text of the archive replaced by another one of the same length, everywhere. */
const replaced = (bytes: Buffer, text: string, by: string) =>
  Buffer.from(bytes.toString('latin1').replaceAll(text, by), 'latin1');

test.each<[name: string, change: (archive: Buffer) => Buffer, fault: string]>([
  ['truncated', (bytes) => bytes.subarray(0, -30), 'not as it was packed'],
  ['with bytes behind it', (bytes) => Buffer.concat([bytes, Buffer.from('more')]), 'not as it was packed'],
  ['two files with one name', (bytes) => replaced(bytes, DOCUMENT, 'package/balance.pdf'), 'not as it was packed'],
  [
    'the size of a file in the list',
    (bytes) => {
      const at = bytes.lastIndexOf(ORDER_JSON) - 46;
      bytes.writeUInt32LE(0x7fffffff, at + 20);
      bytes.writeUInt32LE(0x7fffffff, at + 24);
      return bytes;
    },
    'not as it was packed',
  ],
  [
    'a name in front of a file that is not the one in the list',
    (bytes) => {
      bytes.write('x', bytes.indexOf(DOCUMENT), 'latin1');
      return bytes;
    },
    'changed',
  ],
])('the bytes of an archive are looked at: %s', async (_name, change, fault) => {
  writeFileSync(paths.tampered, change(readFileSync(paths.archive)));
  const found = await verify(paths.tampered, '--cert', paths.authority);
  expect(found).toMatchObject({ code: 1, faults: [expect.stringContaining(fault)] });
});

test('a file that unpacks to far more than it is, is not unpacked', async () => {
  const path = await packCompressed(paths.tampered, new Map([['bomb.bin', Buffer.alloc(5_000_000)]]));
  expect(await verify(path)).toMatchObject({ code: 1, faults: ['not as it was packed'] });
});

test('verify names each fault in a sentence', async () => {
  const path = await pack(paths.tampered, withFile(DOCUMENT, flipped(DOCUMENT)));
  const { code, stdout } = await loanOrders(['evidence', '--verify', path]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/ has 1 fault:\n {2}package\/charter\.pdf: changed\. It has 42 bytes and SHA-256 /);
});
