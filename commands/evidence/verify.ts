import type { X509Certificate } from 'node:crypto';
import { readCertificates } from '../../packages/detached-signatures/certificate-path.ts';
import { coloured } from '../colours.ts';
import { readLocalFile } from '../local-file.ts';
import { type Answer, Refusal } from '../refusal.ts';
import { plain, some, time } from '../text.ts';
import { type OpenArchive, openArchive } from './archive-reader.ts';
import { oneLine } from './detached-signature.ts';
import { type Fault, faultLine } from './fault.ts';
import { checkSignatures, contentOf, fileFaults } from './file-faults.ts';
import { MANIFEST, MANIFEST_SIGNATURE, type Manifest, ORDER, readManifest, TIMELINE } from './manifest.ts';
import { chainFaults, checkManifestSignature } from './manifest-faults.ts';
import { LARGEST_PAGE } from './pages.ts';
import { timelineFaults } from './timeline-faults.ts';

/** Exit code of an archive with faults. */
const HAS_FAULTS = 1;

/** What a check found. */
interface Result {
  faults: Fault[];
  manifest?: Manifest;
  signer?: X509Certificate;
  signatures: number;
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
    const unreadable = 'problem' in manifest ? manifest.problem : '';
    return { faults: [{ file: MANIFEST, fault: 'manifest unreadable', message: unreadable }], ...nothing };
  }
  const signed = await checkManifestSignature(manifest, bytes, await page(files, MANIFEST_SIGNATURE), trusted);
  const timeline = await page(files, TIMELINE);
  const order = await page(files, ORDER);
  const signatures = await checkSignatures(manifest, files);
  return {
    faults: [
      ...chainFaults(manifest),
      ...signed.faults,
      ...(await fileFaults(manifest, files)),
      ...unchecked(TIMELINE, timeline, 'its lines were', manifest, files),
      ...unchecked(ORDER, order, 'it was', manifest, files),
      ...(timeline ? timelineFaults(timeline, manifest.about) : []),
      ...signatures.faults,
    ],
    manifest,
    ...(signed.signer && { signer: signed.signer }),
    signatures: signatures.valid,
    notes: signatures.notes,
  };
}

/** Every archive has these files. What cannot be checked without one is a fault, unless the file itself has one already. */
function unchecked(
  file: string,
  content: Buffer | undefined,
  what: string,
  { files: listed }: Manifest,
  files: OpenArchive['files'],
): Fault[] {
  if (content) return [];
  const isThere = files.has(file);
  if (!isThere && listed.some(({ path }) => path === file)) return [];
  const message = `It is ${isThere ? 'too large' : 'missing'}, so ${what} not checked.`;
  return [{ file, fault: 'timeline unreadable', message }];
}

/** A file that is read into memory; undefined if it is missing or too large. */
async function page(files: OpenArchive['files'], name: string): Promise<Buffer | undefined> {
  const file = files.get(name);
  return file && file.size <= LARGEST_PAGE ? contentOf(file) : undefined;
}

function answer(path: string, result: Result, isPinned: boolean): Answer {
  const { faults, manifest, signer, signatures, notes } = result;
  const about = manifest?.about;
  const head =
    faults.length > 0
      ? coloured('bad', `${path} has ${some(faults.length, 'fault')}:`)
      : coloured('good', `${path} is whole: nothing was changed, removed or added.`);
  return {
    lines: [
      head,
      ...faults.map(faultLine),
      ...(manifest ? aboutLines(manifest) : []),
      ...(manifest ? [`Valid signatures of documents, checked again as of when they were sent: ${signatures}.`] : []),
      ...notes.map(plain),
      ...(about ? [signerLine(about, signer, isPinned)] : []),
    ],
    json: {
      archive: path,
      faults,
      ...about,
      head: manifest?.head,
      files: manifest?.files.length,
      validSignatures: signatures,
      notes,
      signer: signer && { subject: oneLine(signer.subject), sha256: signer.fingerprint256, isPinned },
    },
    exitCode: faults.length > 0 ? HAS_FAULTS : 0,
  };
}

function aboutLines({ about, files }: Manifest): string[] {
  const { orderRef, stage, writtenAt, writtenBy } = about;
  return [
    plain(
      `Order ${orderRef} of stage ${stage}: ${some(files.length, 'file')}, written ${time(writtenAt)} by ${writtenBy}.`,
    ),
  ];
}

function signerLine(
  { signed, unsignedBecause }: Manifest['about'],
  signer: X509Certificate | undefined,
  isPinned: boolean,
): string {
  if (!signed) {
    return plain(
      `The manifest is NOT signed (${unsignedBecause ?? 'no reason given'}): whoever can change this file can make it look whole. Compare its SHA-256 with the one that was noted when it was written.`,
    );
  }
  if (!signer) return 'The signature of the manifest does not hold.';
  const who = `The manifest is signed by ${oneLine(signer.subject)}`;
  if (isPinned) return plain(`${who}, whose certificate you gave, or which it was issued by.`);
  return plain(
    `${who}. The certificate is the archive's own: compare its SHA-256 ${signer.fingerprint256} with the one you know, or give --cert.`,
  );
}
