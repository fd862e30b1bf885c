import { expect, test } from 'vitest';
import { MANIFEST, MANIFEST_SIGNATURE, RECORD } from '../../commands/evidence/manifest.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { DOCUMENT, openEvidence, verify } from '../helpers/evidence-archive.ts';
import { type Files, pack, signedByAnother, withListed, withManifest } from '../helpers/packed-archive.ts';

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
    'a line of the timeline removed, and the record listed as it is',
    () => {
      const record = JSON.parse(String(bytesOf(RECORD))) as { timeline: unknown[] };
      record.timeline.splice(2, 1);
      return withListed(original, RECORD, Buffer.from(JSON.stringify(record)));
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

test('verify names each fault in a sentence', async () => {
  const path = await pack(paths.tampered, withFile(DOCUMENT, flipped(DOCUMENT)));
  const { code, stdout } = await loanOrders(['evidence', '--verify', path]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/ has 1 fault:\n {2}package\/charter\.pdf: changed\. It has 42 bytes and SHA-256 /);
});
