import { createHash, type X509Certificate } from 'node:crypto';
import { coloured } from '../colours.ts';
import type { Answer } from '../refusal.ts';
import { certificatesIn } from '../signing/certificates.ts';
import { plain, some, time } from '../text.ts';
import { type ArchiveFile, contentOf, openArchive, readable } from './archive.ts';
import { MANIFEST, MANIFEST_SIGNATURE } from './contents.ts';
import type { ArchiveFault } from './faults.ts';
import { type About, checkManifestSignature, type ListedFile, type Manifest, readManifest } from './manifest.ts';
import { checkSignatures, oneLine } from './signatures.ts';

/** Exit code of an archive with faults. */
const HAS_FAULTS = 1;

/** What a check found. */
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
  const { files, faults, close } = await openArchive(path);
  const result: Result = { faults, signatures: 0, notes: [] };
  try {
    if (faults.length === 0) await check(files, trusted, result);
    return answer(path, result, trusted.length > 0);
  } finally {
    await close();
  }
}

async function check(files: Map<string, ArchiveFile>, trusted: readonly X509Certificate[], result: Result) {
  const { faults } = result;
  const content = await contentOf(files.get(MANIFEST));
  const { manifest, problem: message = '' } = readManifest(content);
  if (!manifest || !content) return faults.push({ file: MANIFEST, fault: 'manifest unreadable', message });
  const signature = await contentOf(files.get(MANIFEST_SIGNATURE));
  const signed = await checkManifestSignature({ about: manifest.about, content }, signature, trusted);
  Object.assign(result, { manifest, signer: signed.signer });
  faults.push(...signed.faults, ...(await fileFaults(manifest, files)));
  for (const { path, verdict } of await checkSignatures(manifest.files, files)) {
    if (!verdict.passed) faults.push({ file: path, fault: 'detached signature wrong', message: verdict.problem });
    else if (verdict.note !== undefined) result.notes.push(`${path} was not checked: ${verdict.note}`);
    else result.signatures += 1;
  }
}

/** The files that were changed, removed or added, by the manifest. Those that cannot be read are left out of what follows. */
async function fileFaults(
  { files: listed, about }: Manifest,
  files: Map<string, ArchiveFile>,
): Promise<ArchiveFault[]> {
  const faults: ArchiveFault[] = [];
  const add = (file: string, fault: ArchiveFault['fault'], message = `Only what ${MANIFEST} lists counts.`) =>
    faults.push({ file, fault, message });
  const expected = new Map<string, Partial<ListedFile>>(listed.map((one) => [one.path, one]));
  // These two have a checksum only.
  for (const path of [MANIFEST, ...(about.signed ? [MANIFEST_SIGNATURE] : [])]) expected.set(path, {});
  for (const path of expected.keys()) if (!files.has(path)) add(path, 'removed');
  for (const [path, file] of files) {
    const found = await readable(() => digestOf(file));
    if (found === undefined) files.delete(path);
    const { size = file.size, sha256 = found } = expected.get(path) ?? {};
    if (!expected.has(path)) add(path, 'added');
    else if (found === undefined || found !== sha256 || file.size !== size)
      add(
        path,
        'changed',
        `It has ${file.size} bytes and SHA-256 ${found ?? 'unknown'}; the manifest says ${size} bytes and ${sha256 ?? 'nothing'}.`,
      );
  }
  return faults;
}

async function digestOf(file: ArchiveFile): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await file.open()) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function answer(path: string, { faults, manifest, signer, signatures, notes }: Result, isPinned: boolean): Answer {
  const { about, files = [] } = manifest ?? {};
  const shown = faults.map(({ file = 'the archive', fault, message }) => `  ${plain(`${file}: ${fault}. ${message}`)}`);
  const facts = about && [
    `Order ${about.orderRef} of stage ${about.stage}: ${some(files.length, 'file')}, written ${time(about.writtenAt)} by ${about.writtenBy}.`,
    `Valid signatures of documents, checked again as of when they were sent: ${signatures}.`,
    ...notes,
    signerLine(about, signer, isPinned),
  ];
  const verdict =
    faults.length > 0 ? `has ${some(faults.length, 'fault')}:` : 'is whole: nothing was changed, removed or added.';
  return {
    lines: [coloured(faults.length > 0 ? 'bad' : 'good', `${path} ${verdict}`), ...shown, ...(facts ?? []).map(plain)],
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
