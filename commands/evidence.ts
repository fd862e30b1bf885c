import { lstat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  CONTENTS,
  INDEX_PAGE,
  type ListedFile,
  MANIFEST,
  MANIFEST_SIGNATURE,
  type Packer,
  packer,
  RECORD,
} from './evidence/archive.ts';
import { planFiles } from './evidence/contents.ts';
import { indexPage } from './evidence/index-page.ts';
import { filesOf, type OrderFile } from './evidence/order-files.ts';
import { checkSignatures, manifestSigner } from './evidence/signatures.ts';
import type { Buckets } from './shared/buckets.ts';
import { type Connection, connect } from './shared/connection.ts';
import { writeWhole } from './shared/local-file.ts';
import type { PlaceOptions } from './shared/place.ts';
import type { OrderDetails } from './shared/record.ts';
import { type Answer, bytes, Refusal, some } from './shared/text.ts';
import { orderView } from './shared/views.ts';
import { orderLines } from './show.ts';

export interface EvidenceOptions {
  out?: string;
  /** Write an archive whose manifest is not signed, although the stage has a key. */
  unsigned?: true;
  /** Whether a signal must not end the process. */
  isServer?: true;
}

const NOTHING = 'no archive was written';

/** `evidence <orderRef>`: writes everything that is known of an order into one archive. */
export async function evidence(place: PlaceOptions, orderRef: string, options: EvidenceOptions): Promise<Answer> {
  const path = options.out ?? `${orderRef}.evidence.zip`;
  await refuseTaken(path);
  const connection = await connect(place);
  const details = await connection.record.details(orderRef);
  const sign = options.unsigned ? undefined : await manifestSigner(connection);
  const hasKey = connection.outputs('EvidenceKey', '') !== '';
  const unsignedBecause = hasKey ? 'whoever wrote it asked for that' : 'the stage has no key for evidence';
  const about = {
    orderRef,
    stage: place.stage,
    writtenAt: new Date().toISOString(),
    /** The access key. CloudTrail knows whose it is. */
    writtenBy: await connection.by(),
    signed: sign !== undefined,
    ...(!sign && { unsignedBecause }),
  };
  const written = await writeWhole(path, { ...options, nothing: NOTHING }, async (write) => {
    const archive = packer(write);
    const files = await addFiles(connection, details, archive);
    await archive.addBytes(CONTENTS, jsonFile({ about, files }));
    const manifest = archive.manifest();
    const { sha256: manifestSha256 } = await archive.addBytes(MANIFEST, manifest);
    if (sign) await archive.addBytes(MANIFEST_SIGNATURE, await sign(manifest));
    return { files: files.length, manifestSha256, ...(await archive.end()) };
  });
  const { status } = details.order;
  return {
    lines: [
      `Wrote ${path}: ${some(written.files, 'file')} of order ${orderRef}, which is ${status}; ${bytes(written.size)}.`,
      sign
        ? "Its manifest is signed with the stage's key for evidence."
        : `Its manifest has no signature: ${unsignedBecause}. The SHA-256 proves it: give that to somebody else to keep.`,
      `SHA-256 of the archive: ${written.sha256}`,
      'How to check it is in docs/evidence.md, and at the end of index.html in the archive.',
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

/** Adds everything that the manifest lists. */
async function addFiles(connection: Connection, details: OrderDetails, archive: Packer): Promise<ListedFile[]> {
  const { executions, buckets } = connection;
  const { orderRef } = details.order;
  const all = await executions.since(details.order, 1);
  // Step Functions forgets the first ones.
  const runs = all.length > 0 ? all : await executions.since(details.order);
  const files: ListedFile[] = [];
  const opened = new Map<string, () => Promise<Readable>>();
  const stage = await buckets();
  for (const { path, what, signs, file, sha256 } of planFiles(details, await filesOf(stage, orderRef))) {
    const { bucket, key, versionId, storedAt } = file;
    const openFile = () => openVersion(stage, file);
    const written = await archive.add(path, await openFile(), file.size);
    if (written.size !== file.size || written.sha256 !== (sha256 ?? written.sha256))
      throw new Refusal(
        `${key} does not have the size or the SHA-256 that is recorded: ${NOTHING}. Ask who changed it.`,
      );
    opened.set(path, openFile);
    files.push({ path, what, ...written, source: { bucket, key, versionId, storedAt }, ...(signs && { signs }) });
  }
  const signatures = await checkSignatures(files, opened);
  const addText = async (path: string, what: string, text: string) =>
    files.push({ path, what, ...(await archive.addBytes(path, text)) });
  const record = jsonFile({ ...details, executions: runs });
  await addText(RECORD, "what the order's record holds, and the executions", record);
  const page = indexPage({ orderRef, shown: orderLines(details, orderView(details, runs)), files, signatures });
  await addText(INDEX_PAGE, 'this archive for people', page);
  return files;
}

const jsonFile = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;

async function openVersion(stage: Buckets, { bucket, key, versionId }: OrderFile): Promise<Readable> {
  const body = await stage.open(bucket, key, versionId);
  if (body) return body;
  throw new Refusal(`${key} was removed while this command read it: ${NOTHING}. Repeat the command.`);
}
