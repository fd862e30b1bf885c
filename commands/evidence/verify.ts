import { createHash, type X509Certificate } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { coloured } from '../colours.ts';
import type { Answer } from '../refusal.ts';
import { certificatesIn } from '../signing/certificates.ts';
import { plain, some, time } from '../text.ts';
import { type ArchiveFile, type ArchiveFiles, openArchive } from './archive.ts';
import { MANIFEST, MANIFEST_SIGNATURE } from './contents.ts';
import type { Fault } from './faults.ts';
import { type About, checkManifestSignature, type ListedFile, type Manifest, readManifest } from './manifest.ts';
import { checkSignatures, oneLine } from './signatures.ts';

/** Exit code of an archive with faults. */
const HAS_FAULTS = 1;

/** What a check found. */
interface Result {
  faults: Fault[];
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
  const { files, faults, close } = await openArchive(path);
  try {
    const result = faults.length > 0 ? { faults, signatures: 0, notes: [] } : await check(files, trusted);
    return answer(path, result, trusted.length > 0);
  } finally {
    await close();
  }
}

async function check(files: ArchiveFiles, trusted: readonly X509Certificate[]): Promise<Result> {
  const content = await files.get(MANIFEST)?.read();
  const { manifest, problem: message = '' } = readManifest(content);
  if (!manifest || !content)
    return { faults: [{ file: MANIFEST, fault: 'manifest unreadable', message }], signatures: 0, notes: [] };
  const { about, files: listed } = manifest;
  const signature = await files.get(MANIFEST_SIGNATURE)?.read();
  const { signer, faults } = await checkManifestSignature({ about, content }, signature, trusted);
  const result: Result = { faults, manifest, signer, signatures: 0, notes: [] };
  faults.push(...(await fileFaults(manifest, files)));
  for (const { path, verdict } of await checkSignatures(listed, files)) {
    if (!verdict.passed) faults.push({ file: path, fault: 'detached signature wrong', message: verdict.problem });
    else if (verdict.note !== undefined) result.notes.push(`${path} was not checked: ${verdict.note}`);
    else result.signatures += 1;
  }
  return result;
}

/** The files that were changed, removed or added, by the manifest. */
async function fileFaults({ files: listed, about }: Manifest, files: ArchiveFiles): Promise<Fault[]> {
  const missing = listed.filter(({ path }) => !files.has(path));
  const message = `Only what ${MANIFEST} lists counts.`;
  const faults: Fault[] = missing.map(({ path }) => ({ file: path, fault: 'removed', message }));
  const expected = new Map<string, Partial<ListedFile>>(listed.map((file) => [file.path, file]));
  // These two have a checksum only.
  for (const path of [MANIFEST, ...(about.signed ? [MANIFEST_SIGNATURE] : [])]) expected.set(path, {});
  for (const file of files.values()) {
    const one = expected.get(file.path);
    const fault: Fault | undefined = one ? await changeOf(file, one) : { file: file.path, fault: 'added', message };
    if (fault) faults.push(fault);
  }
  return faults;
}

async function changeOf(file: ArchiveFile, expected: Partial<ListedFile>): Promise<Fault | undefined> {
  const hash = createHash('sha256');
  let sum = 0;
  for await (const chunk of file.open()) {
    hash.update(chunk as Buffer);
    sum = crc32(chunk as Buffer, sum);
  }
  const found = hash.digest('hex');
  const { size = file.size, sha256 = found } = expected;
  if (found === sha256 && file.size === size && file.crc32 === sum) return undefined;
  const message = `It has ${file.size} bytes and SHA-256 ${found}; the manifest says ${size} bytes and ${sha256}.`;
  return { file: file.path, fault: 'changed', message };
}

function answer(path: string, { faults, manifest, signer, signatures, notes }: Result, isPinned: boolean): Answer {
  const { about, files = [] } = manifest ?? {};
  const lines = faults.map(
    ({ file, fault, message }) => `  ${plain(`${file ?? 'the archive'}: ${fault}. ${message}`)}`,
  );
  const written =
    about &&
    `Order ${about.orderRef} of stage ${about.stage}: ${some(files.length, 'file')}, written ${time(about.writtenAt)} by ${about.writtenBy}.`;
  return {
    lines: [
      faults.length > 0
        ? coloured('bad', `${path} has ${some(faults.length, 'fault')}:`)
        : coloured('good', `${path} is whole: nothing was changed, removed or added.`),
      ...lines,
      ...(about && written
        ? [
            plain(written),
            `Valid signatures of documents, checked again as of when they were sent: ${signatures}.`,
            ...notes.map(plain),
            plain(signerLine(about, signer, isPinned)),
          ]
        : []),
    ],
    json: {
      archive: path,
      faults,
      ...about,
      files: manifest?.files.length,
      validSignatures: signatures,
      notes,
      signer: signer && { subject: oneLine(signer.subject), sha256: signer.fingerprint256, isPinned },
    },
    exitCode: faults.length > 0 ? HAS_FAULTS : 0,
  };
}

function signerLine(
  { signed, unsignedBecause }: About,
  signer: X509Certificate | undefined,
  isPinned: boolean,
): string {
  if (!signed)
    return `The manifest is NOT signed (${unsignedBecause ?? 'no reason given'}): whoever can change this file can make it look whole. Compare its SHA-256 with the one that was noted when it was written.`;
  if (!signer) return 'The signature of the manifest does not hold.';
  const who = `The manifest is signed by ${oneLine(signer.subject)}`;
  if (isPinned) return `${who}, whose certificate you gave, or which it was issued by.`;
  return `${who}. The certificate is the archive's own: compare its SHA-256 ${signer.fingerprint256} with the one you know, or give --cert.`;
}
