import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { lstat, open, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { named, putInPlace, refusalOfFile } from './documents/save-document.ts';
import { ArchiveWriter } from './evidence/archive.ts';
import {
  INDEX_PAGE,
  MANIFEST,
  MANIFEST_SIGNATURE,
  type PlannedFile,
  planFiles,
  RECORDED,
} from './evidence/contents.ts';
import { indexPage } from './evidence/index-page.ts';
import { type About, FORMAT, type ListedFile, manifestText } from './evidence/manifest.ts';
import { manifestSigner } from './evidence/sign-manifest.ts';
import { checkSignatures } from './evidence/signatures.ts';
import { type Answer, Refusal } from './refusal.ts';
import { orderView } from './show/views.ts';
import { orderLines } from './show.ts';
import { connectToEvidence, type EvidenceSource } from './stage/evidence-source.ts';
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

const NOTHING = 'no archive was written';

/** `evidence <orderRef>`: writes everything that is known of an order into one archive. */
export async function evidence(place: PlaceOptions, orderRef: string, options: EvidenceOptions): Promise<Answer> {
  const path = options.out ?? `${orderRef}.evidence.zip`;
  await refuseTaken(path);
  const source = await connectToEvidence(place);
  const details = await source.record.details(orderRef);
  const sign = options.unsigned ? undefined : await manifestSigner(source);
  const unsignedBecause = source.evidenceKey ? 'whoever wrote it asked for that' : 'the stage has no key for evidence';
  const about: About = {
    format: FORMAT,
    orderRef,
    stage: place.stage,
    writtenAt: new Date().toISOString(),
    writtenBy: await source.by(),
    signed: sign !== undefined,
    ...(!sign && { unsignedBecause }),
  };
  const written = await writeArchive(path, options, async (archive) => {
    const files = await addFiles(source, details, archive);
    const text = manifestText({ about, files });
    const { sha256: manifestSha256 } = await archive.addBytes(MANIFEST, text);
    if (sign) await archive.addBytes(MANIFEST_SIGNATURE, await sign(text));
    return { files: files.length, manifestSha256 };
  });
  const { status } = details.order;
  return {
    lines: [
      `Wrote ${path}: ${some(written.files, 'file')} of order ${orderRef}, which is ${status}; ${bytes(written.size)}.`,
      sign
        ? "Its manifest is signed with the stage's key for evidence."
        : `Its manifest is NOT signed: ${unsignedBecause}.`,
      `SHA-256 of the archive: ${written.sha256}`,
      `Check it with "loan-orders evidence --verify ${path}".`,
    ],
    json: { status, archive: path, ...about, ...written },
  };
}

/** @throws Refusal when anything has the name. */
async function refuseTaken(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  const kind = found.isDirectory() ? 'a folder' : 'there already';
  throw new Refusal(`${path} is ${kind}: it was not overwritten, and ${NOTHING}. Give another file with --out.`);
}

/** Writes the archive under another name first, and gives it its name when it is whole. */
async function writeArchive<Facts>(
  path: string,
  { isCommand }: EvidenceOptions,
  fill: (archive: ArchiveWriter) => Promise<Facts>,
) {
  const part = `${path}.part`;
  const file = await open(part, 'wx+', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw refusalOfFile(error, path, NOTHING);
    throw new Refusal(
      `Another command is writing ${path}, or was stopped: ${NOTHING}. Remove ${part} if none is running.`,
    );
  });
  const ignoreSignals = isCommand && removeWhenStopped(part);
  try {
    const archive = new ArchiveWriter(file, path);
    const facts = await fill(archive);
    await archive.end();
    await named(path, file.sync());
    const { size } = await file.stat();
    const whole = createHash('sha256');
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) whole.update(chunk as Buffer);
    await putInPlace(part, path);
    return { ...facts, size, sha256: whole.digest('hex') };
  } catch (error) {
    throw refusalOfFile(error, path, NOTHING);
  } finally {
    await file.close();
    await rm(part, { force: true });
    if (ignoreSignals) ignoreSignals();
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Removes the half-written file if a signal stops the command, and ends it then with the code that shells expect.
 * @returns a function that ends this.
 */
function removeWhenStopped(part: string): () => void {
  const stop = (signal: (typeof SIGNALS)[number]) => {
    rmSync(part, { force: true });
    process.stderr.write(`\nStopped: ${NOTHING}. Repeat the command.\n`);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  return () => {
    for (const signal of SIGNALS) process.removeListener(signal, stop);
  };
}

/** Adds everything that the manifest lists. */
async function addFiles(source: EvidenceSource, details: OrderDetails, archive: ArchiveWriter): Promise<ListedFile[]> {
  const { orderRef, generation } = details.order;
  const all = await source.executions.since(orderRef, 1);
  // Step Functions forgets the first ones.
  const executions = all.length > 0 ? all : await source.executions.since(orderRef, generation);
  const files: ListedFile[] = [];
  for (const one of planFiles(details, await source.files(orderRef))) files.push(await addFile(source, archive, one));
  const signatures = await checkSignatures(files, archive.files);
  const addText = async (path: string, what: string, text: string) =>
    files.push({ path, what, ...(await archive.addBytes(path, text)) });
  for (const [path, what, content] of RECORDED)
    await addText(path, what, `${JSON.stringify(content(details, executions), undefined, 2)}\n`);
  const page = indexPage({ orderRef, shown: orderLines(details, orderView(details, executions)), files, signatures });
  await addText(INDEX_PAGE, 'this archive for people', page);
  return files;
}

/** @throws Refusal when the file is not the one that the record names. */
async function addFile(source: EvidenceSource, archive: ArchiveWriter, planned: PlannedFile): Promise<ListedFile> {
  const { path, what, signs, file, sha256 } = planned;
  const { bucket, key, versionId, storedAt } = file;
  const written = await archive.add(path, await source.open(file), file.size);
  if (written.size !== file.size || written.sha256 !== (sha256 ?? written.sha256))
    throw new Refusal(`${key} does not have the size or the SHA-256 that is recorded: ${NOTHING}. Ask who changed it.`);
  return { path, what, ...written, source: { bucket, key, versionId, storedAt }, ...(signs && { signs }) };
}
