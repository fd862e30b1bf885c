import type { X509Certificate } from 'node:crypto';
import { certificatesIn } from '../signing/certificates.ts';
import { type Answer, coloured, plain, some, time } from '../text.ts';
import { type ArchiveFault, type ArchiveFile, contentOf, digestOf, openArchive, readable } from './archive.ts';
import { unsafePaths } from './contents.ts';
import { type About, type ListedFile, MANIFEST, MANIFEST_SIGNATURE, type Manifest, readManifest } from './manifest.ts';
import { checkManifestSignature, checkSignatures, oneLine } from './signatures.ts';

/** Exit code of an archive with faults. */
const HAS_FAULTS = 1;

interface Result {
  faults: ArchiveFault[];
  manifest?: Manifest;
  signer?: X509Certificate | undefined;
  /** How many signatures that were sent are valid. */
  signatures: number;
  /** What could not be checked here, such as another algorithm. */
  notes: string[];
}

/** `evidence --verify <archive>`: checks an archive on this machine, with nothing but the archive and perhaps a certificate. */
export async function verify(path: string, certificatePath: string | undefined): Promise<Answer> {
  const trusted = certificatePath === undefined ? [] : await certificatesIn(certificatePath, 'nothing was checked');
  const result: Result = { faults: [], signatures: 0, notes: [] };
  const { files, close } = await openArchive(path);
  try {
    await check(files, trusted, result);
    return answer(path, result, trusted.length > 0);
  } finally {
    await close();
  }
}

const NOT_PACKED =
  'It was truncated, changed, or packed by another program: check the file that "loan-orders evidence" wrote.';
const UNSAFE = 'Do not unpack it: it could end up outside of the folder, or replace another file.';
const NOT_LISTED = `Only what ${MANIFEST} lists counts.`;

async function check(
  files: Map<string, ArchiveFile> | undefined,
  trusted: readonly X509Certificate[],
  result: Result,
): Promise<unknown> {
  const { faults } = result;
  if (!files) return faults.push({ fault: 'not as it was packed', message: NOT_PACKED });
  for (const file of unsafePaths([...files.keys()])) faults.push({ file, fault: 'unsafe name', message: UNSAFE });
  if (faults.length > 0) return;
  const content = await contentOf(files.get(MANIFEST));
  const { manifest, problem: message = '' } = readManifest(content);
  if (!manifest || !content) return faults.push({ file: MANIFEST, fault: 'manifest unreadable', message });
  const signature = await contentOf(files.get(MANIFEST_SIGNATURE));
  result.manifest = manifest;
  result.signer = await checkManifestSignature({ ...manifest, content }, signature, trusted, faults);
  await checkFiles(manifest, files, faults);
  for (const { path, verdict } of await checkSignatures(manifest.files, files)) {
    if (!verdict.passed) faults.push({ file: path, fault: 'detached signature wrong', message: verdict.problem });
    else if (verdict.unchecked !== undefined) result.notes.push(`${path} was not checked: ${verdict.unchecked}`);
    else result.signatures += 1;
  }
}

/** Compares the files with the manifest. Those that cannot be read are left out of what follows. */
async function checkFiles({ files: listed, about }: Manifest, files: Map<string, ArchiveFile>, faults: ArchiveFault[]) {
  const expected = new Map<string, Partial<ListedFile>>(listed.map((file) => [file.path, file]));
  // The manifest does not list these two. They have the checksum of ZIP only.
  for (const path of [MANIFEST, ...(about.signed ? [MANIFEST_SIGNATURE] : [])]) expected.set(path, {});
  const add = (file: string, fault: ArchiveFault['fault'], message = NOT_LISTED) =>
    faults.push({ file, fault, message });
  for (const path of expected.keys()) if (!files.has(path)) add(path, 'removed');
  for (const [path, file] of files) {
    const digest = await readable(() => digestOf(file));
    if (!digest) files.delete(path);
    const found = digest?.toString('hex');
    const { size = file.size, sha256 = found } = expected.get(path) ?? {};
    const isSame = found !== undefined && found === sha256 && file.size === size;
    const is = `It has ${file.size} bytes and SHA-256 ${found ?? 'unknown'}`;
    if (!expected.has(path)) add(path, 'added');
    else if (!isSame) add(path, 'changed', `${is}; the manifest says ${size} bytes and ${sha256 ?? 'nothing'}.`);
  }
}

function answer(path: string, { faults, manifest, signer, signatures, notes }: Result, isPinned: boolean): Answer {
  const { about, files = [] } = manifest ?? {};
  const isWhole = faults.length === 0;
  const verdict = isWhole ? 'is whole: nothing was changed, removed or added.' : `has ${some(faults.length, 'fault')}:`;
  const shown = faults.map(({ file = 'the archive', fault, message }) => `  ${plain(`${file}: ${fault}. ${message}`)}`);
  const facts = about && [
    `Order ${about.orderRef} of stage ${about.stage}: ${some(files.length, 'file')}, written ${time(about.writtenAt)} by ${about.writtenBy}.`,
    `Valid signatures of documents, checked again as of when they were sent: ${signatures}.`,
    ...notes,
    signerLine(about, signer, isPinned),
  ];
  return {
    lines: [coloured(isWhole ? 'good' : 'bad', `${path} ${verdict}`), ...shown, ...(facts ?? []).map(plain)],
    json: {
      archive: path,
      faults,
      ...about,
      files: manifest?.files.length,
      validSignatures: signatures,
      notes,
      signer: signer && { subject: oneLine(signer.subject), sha256: signer.fingerprint256, isPinned },
    },
    exitCode: isWhole ? 0 : HAS_FAULTS,
  };
}

function signerLine({ signed, unsignedBecause }: About, signer: X509Certificate | undefined, isPinned: boolean) {
  if (!signed)
    return `The manifest has no signature (${unsignedBecause ?? 'no reason given'}). It proves nothing by itself: compare the archive's SHA-256 with the one that was noted when it was written.`;
  if (!signer) return 'The signature of the manifest does not hold.';
  const who = `The manifest is signed by ${oneLine(signer.subject)}`;
  if (isPinned) return `${who}, whose certificate you gave, or which it was issued by.`;
  return `${who}. The certificate is the archive's own: compare its SHA-256 ${signer.fingerprint256} with the one you know, or give --cert.`;
}
