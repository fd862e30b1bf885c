import { createHash, type X509Certificate } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { readCertificates } from '../../packages/detached-signatures/certificate-path.ts';
import { coloured } from '../colours.ts';
import { readLocalFile } from '../local-file.ts';
import { type Answer, Refusal } from '../refusal.ts';
import { plain, some, time } from '../text.ts';
import { type ArchiveFile, type ArchiveFiles, type OpenArchive, openArchive } from './archive.ts';
import { MANIFEST, MANIFEST_SIGNATURE } from './contents.ts';
import type { Fault } from './faults.ts';
import {
  type About,
  checkManifestSignature,
  LARGEST_PAGE,
  type ListedFile,
  type Manifest,
  readManifest,
} from './manifest.ts';
import { checkSignatures, contentOf, oneLine } from './signatures.ts';

/** Exit code of an archive with faults. */
const HAS_FAULTS = 1;

/** What a check found. */
interface Result {
  faults: Fault[];
  manifest?: Manifest;
  signer?: X509Certificate | undefined;
  /** Signatures that were sent and are valid. */
  signatures: number;
  /** What could not be checked here, such as another algorithm. */
  notes: string[];
}

/** `evidence --verify <archive>`: checks an archive on this machine, with nothing but the archive and perhaps a certificate. */
export async function verify(path: string, certificatePath: string | undefined): Promise<Answer> {
  const trusted = certificatePath === undefined ? [] : await readTrusted(certificatePath);
  const archive = await openArchive(path);
  try {
    return answer(path, await check(archive, trusted), trusted.length > 0);
  } finally {
    await archive.close();
  }
}

async function readTrusted(path: string): Promise<X509Certificate[]> {
  const pem = (await readLocalFile(path)).toString('latin1');
  let certificates: X509Certificate[];
  try {
    certificates = readCertificates(pem);
  } catch {
    throw new Refusal(`A certificate in ${path} can't be read: nothing was checked.`);
  }
  if (certificates.length > 0) return certificates;
  throw new Refusal(`${path} has no certificate in PEM (-----BEGIN CERTIFICATE-----): nothing was checked.`);
}

async function check({ files, faults }: OpenArchive, trusted: readonly X509Certificate[]): Promise<Result> {
  const nothing = { signatures: 0, notes: [] };
  if (faults.length > 0) return { faults, ...nothing };
  const bytes = await page(files, MANIFEST);
  const manifest = bytes ? readManifest(bytes) : { problem: 'It is missing or too large.' };
  if (!bytes || 'problem' in manifest) {
    const message = 'problem' in manifest ? manifest.problem : '';
    return { faults: [{ file: MANIFEST, fault: 'manifest unreadable', message }], ...nothing };
  }
  const { about, files: listed } = manifest;
  const { signer, fault } = await checkManifestSignature(about, bytes, await page(files, MANIFEST_SIGNATURE), trusted);
  const found = [...(fault ? [fault] : []), ...(await fileFaults(manifest, files))];
  const result: Result = { faults: found, manifest, signer, ...nothing, notes: [] };
  for (const { path, verdict } of await checkSignatures(listed, files)) {
    if (!verdict.passed) found.push({ file: path, fault: 'detached signature wrong', message: verdict.problem });
    else if (verdict.note !== undefined) result.notes.push(`${path} was not checked: ${verdict.note}`);
    else result.signatures += 1;
  }
  return result;
}

/** A file that is read into memory; undefined if it is missing or too large. */
async function page(files: ArchiveFiles, name: string): Promise<Buffer | undefined> {
  const file = files.get(name);
  return file && file.size <= LARGEST_PAGE ? contentOf(file) : undefined;
}

/** The files that were changed, removed or added, by the manifest. */
async function fileFaults({ files: listed, about }: Manifest, files: ArchiveFiles): Promise<Fault[]> {
  const expected = new Map<string, ListedFile | undefined>(listed.map((file) => [file.path, file]));
  // These two have a checksum only.
  for (const path of [MANIFEST, ...(about.signed ? [MANIFEST_SIGNATURE] : [])]) expected.set(path, undefined);
  const faults: Fault[] = listed
    .filter(({ path }) => !files.has(path))
    .map(({ path: file }) => ({
      file,
      fault: 'removed',
      message: 'The manifest lists it; the archive does not hold it.',
    }));
  for (const file of files.values()) {
    const { path } = file;
    if (!expected.has(path)) {
      faults.push({ file: path, fault: 'added', message: `The manifest does not list it. Only ${MANIFEST} counts.` });
      continue;
    }
    const message = await changeIn(file, expected.get(path));
    if (message !== undefined) faults.push({ file: path, fault: 'changed', message });
  }
  return faults;
}

async function changeIn(file: ArchiveFile, expected: ListedFile | undefined): Promise<string | undefined> {
  const hash = createHash('sha256');
  let sum = 0;
  for await (const chunk of file.open()) {
    hash.update(chunk as Buffer);
    sum = crc32(chunk as Buffer, sum);
  }
  const [found, { size, sha256 }] = [hash.digest('hex'), expected ?? { size: file.size, sha256: undefined }];
  if (file.size !== size || found !== (sha256 ?? found))
    return `It has ${file.size} bytes and SHA-256 ${found}; the manifest says ${size} bytes and ${sha256}.`;
  return sum === file.crc32 ? undefined : 'The checksum beside it in the archive is that of other bytes.';
}

function answer(path: string, result: Result, isPinned: boolean): Answer {
  const { faults, manifest, signer, signatures, notes } = result;
  const { orderRef, stage, writtenAt, writtenBy } = manifest?.about ?? {};
  const count = manifest?.files.length;
  return {
    lines: [
      faults.length > 0
        ? coloured('bad', `${path} has ${some(faults.length, 'fault')}:`)
        : coloured('good', `${path} is whole: nothing was changed, removed or added.`),
      ...faults.map(({ file, fault, message }) => `  ${plain(`${file ?? 'the archive'}: ${fault}. ${message}`)}`),
      ...(manifest
        ? [
            plain(
              `Order ${orderRef} of stage ${stage}: ${some(count ?? 0, 'file')}, written ${time(writtenAt)} by ${writtenBy}.`,
            ),
            `Valid signatures of documents, checked again as of when they were sent: ${signatures}.`,
            ...notes.map(plain),
            plain(signerLine(manifest.about, signer, isPinned)),
          ]
        : []),
    ],
    json: {
      archive: path,
      faults,
      ...manifest?.about,
      files: count,
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
  return isPinned
    ? `${who}, whose certificate you gave, or which it was issued by.`
    : `${who}. The certificate is the archive's own: compare its SHA-256 ${signer.fingerprint256} with the one you know, or give --cert.`;
}
