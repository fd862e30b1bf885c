import { createHash } from 'node:crypto';
import { lstat, open, rm } from 'node:fs/promises';
import { named, putInPlace, refusalOfFile } from './documents/save-document.ts';
import { ArchiveWriter } from './evidence/archive-writer.ts';
import { sha256Of } from './evidence/hash-chain.ts';
import { indexPage, type ListedFile, type SentSignature } from './evidence/index-page.ts';
import {
  type About,
  FORMAT,
  INDEX_PAGE,
  MANIFEST,
  MANIFEST_SIGNATURE,
  manifestOf,
  manifestText,
} from './evidence/manifest.ts';
import { type PlannedFile, planFiles } from './evidence/plan-files.ts';
import { recordFiles, timelineLines, timelineStart } from './evidence/record-files.ts';
import { removeWhenStopped } from './evidence/remove-when-stopped.ts';
import { judgeSent } from './evidence/sent-signatures.ts';
import { manifestSigner, type SignManifest } from './evidence/sign-manifest.ts';
import { type Answer, Refusal } from './refusal.ts';
import { connectToEvidence, type EvidenceSource } from './stage/evidence-source.ts';
import type { Execution } from './stage/executions.ts';
import type { PlaceOptions } from './stage/place.ts';
import type { OrderDetails } from './stage/record.ts';
import { bytes, some } from './text.ts';

export interface EvidenceOptions {
  /** The file to write. */
  out?: string;
  /** Write an archive whose manifest is not signed, although the stage has a key. */
  unsigned?: true;
  /** Ctrl-C ends the process, and leaves no half archive. */
  isCommand?: true;
}

/** Everything that one archive is made of. */
interface Subject {
  source: EvidenceSource;
  details: OrderDetails;
  executions: Execution[];
  planned: PlannedFile[];
  about: Omit<About, 'orderRef' | 'timeline' | 'format'>;
  sign: SignManifest | undefined;
}

const NOTHING = 'no archive was written';

/** `evidence <orderRef>`: writes everything that is known of an order into one archive. */
export async function evidence(place: PlaceOptions, orderRef: string, options: EvidenceOptions): Promise<Answer> {
  const path = options.out ?? `${orderRef}.evidence.zip`;
  await refuseTaken(path);
  const source = await connectToEvidence(place);
  const details = await source.record.details(orderRef);
  const { generation } = details.order;
  const executions = await source.executions.since(orderRef, 1);
  const sign = options.unsigned ? undefined : await manifestSigner(source);
  const subject: Subject = {
    source,
    details,
    executions: executions.length > 0 ? executions : await source.executions.since(orderRef, generation),
    planned: planFiles(details, await source.files(orderRef)),
    about: {
      stage: place.stage,
      writtenAt: new Date().toISOString(),
      writtenBy: await source.by(),
      ...signing(source, sign),
    },
    sign,
  };
  return answer(subject, path, await writeArchive(subject, path, options));
}

/** @throws Refusal when anything has the name. */
async function refuseTaken(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  const kind = found.isDirectory() ? 'a folder' : 'there already';
  throw new Refusal(`${path} is ${kind}: it was not overwritten, and ${NOTHING}. Give another file with --out.`);
}

function signing(
  { evidenceKey }: EvidenceSource,
  sign: SignManifest | undefined,
): Pick<About, 'signed' | 'unsignedBecause'> {
  if (sign) return { signed: true };
  return {
    signed: false,
    unsignedBecause: evidenceKey ? 'whoever wrote it asked for that' : 'the stage has no key for evidence',
  };
}

interface WrittenArchive {
  files: number;
  size: number;
  /** SHA-256 of the whole archive. */
  sha256: string;
  head: string;
}

/** Writes the archive under another name first, and gives it its name when it is whole. */
async function writeArchive(subject: Subject, path: string, { isCommand }: EvidenceOptions): Promise<WrittenArchive> {
  const part = `${path}.part`;
  const file = await open(part, 'wx+', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new Refusal(
        `Another command is writing ${path}, or was stopped: ${NOTHING}. Remove ${part} if none is running.`,
      );
    throw refusalOfFile(error, path, NOTHING);
  });
  const ignoreSignals = isCommand && removeWhenStopped(part, `Stopped: ${NOTHING}. Repeat the command.`);
  try {
    const archive = new ArchiveWriter(file, path);
    const written = await addAll(subject, archive);
    await archive.end();
    await named(path, file.sync());
    const { size } = await file.stat();
    const whole = createHash('sha256');
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) whole.update(chunk as Buffer);
    await putInPlace(part, path);
    return { ...written, size, sha256: whole.digest('hex') };
  } catch (error) {
    throw refusalOfFile(error, path, NOTHING);
  } finally {
    await file.close();
    await rm(part, { force: true });
    ignoreSignals?.();
  }
}

async function addAll({ source, details, executions, planned, about, sign }: Subject, archive: ArchiveWriter) {
  const files: ListedFile[] = [];
  const signatures: SentSignature[] = [];
  for (const one of planned) {
    if (one.signs) signatures.push(await judgeSent(source, details, one));
    files.push(await addFile(source, archive, one));
  }
  for (const { path, what, text } of recordFiles(details, executions)) {
    files.push({ path, what, ...(await archive.addText(path, text)) });
  }
  const index = await archive.addText(INDEX_PAGE, indexPage({ details, executions, files, signatures }));
  files.push({ path: INDEX_PAGE, what: 'this archive for people', ...index });
  const { orderRef } = details.order;
  const lines = timelineLines(details);
  const timeline = { lines: lines.length, head: lines.at(-1)?.chain ?? timelineStart(orderRef) };
  const manifest = manifestOf({ format: FORMAT, orderRef, ...about, timeline }, files);
  const text = manifestText(manifest);
  await archive.addText(MANIFEST, text);
  if (sign) await archive.addBytes(MANIFEST_SIGNATURE, await sign(text));
  return { files: files.length, head: manifest.head, manifestSha256: sha256Of(text) };
}

/** @throws Refusal when the file is not the one that the record names. */
async function addFile(source: EvidenceSource, archive: ArchiveWriter, planned: PlannedFile): Promise<ListedFile> {
  const { path, what, signs, file } = planned;
  const { bucket, key, versionId, storedAt } = file;
  const written = await archive.add(path, await source.open(file), file.size);
  if (written.size !== file.size || (planned.sha256 !== undefined && planned.sha256 !== written.sha256)) {
    throw new Refusal(`${key} does not have the size or the SHA-256 that is recorded: ${NOTHING}. Ask who changed it.`);
  }
  return { path, what, ...written, source: { bucket, key, versionId, storedAt }, ...(signs && { signs }) };
}

function answer({ details, about }: Subject, path: string, written: WrittenArchive): Answer {
  const { orderRef, status } = details.order;
  const signed = about.signed
    ? "Its manifest is signed with the stage's key for evidence."
    : `Its manifest is NOT signed: ${about.unsignedBecause}.`;
  return {
    lines: [
      `Wrote ${path}: ${some(written.files, 'file')} of order ${orderRef}, which is ${status}; ${bytes(written.size)}.`,
      signed,
      `SHA-256 of the archive: ${written.sha256}`,
      `Check it with "loan-orders evidence --verify ${path}".`,
    ],
    json: { orderRef, status, archive: path, ...about, ...written },
  };
}
