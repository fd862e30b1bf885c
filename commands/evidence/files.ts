import type { Readable } from 'node:stream';
import { listVersions } from '../../core/aws/object-versions.ts';
import type { Buckets } from '../shared/buckets.ts';
import type { StageConnection } from '../shared/connection.ts';
import type { OrderDetails } from '../shared/order-details.ts';
import { orderLines } from '../shared/order-lines.ts';
import { refusal } from '../shared/refusals.ts';
import { orderView } from '../shared/views.ts';
import { INDEX_PAGE, type ListedFile, type Packer, RECORD } from './archive.ts';
import { type OrderFile, planFiles } from './contents.ts';
import { indexPage } from './index-page.ts';
import { checkSignatures } from './signatures.ts';

/** Adds everything that the manifest lists. */
export async function addFiles(
  connection: StageConnection,
  details: OrderDetails,
  archive: Packer,
): Promise<ListedFile[]> {
  const { executions, buckets } = connection;
  const { orderRef } = details.order;
  const all = await executions.since(details.order, 1);
  // Step Functions deletes old ones.
  const runs = all.length > 0 ? all : await executions.since(details.order);
  const files: ListedFile[] = [];
  const opened = new Map<string, () => Promise<Readable>>();
  const stage = await buckets();
  for (const { path, what, signs, file, sha256 } of planFiles(details, await filesOf(stage, orderRef))) {
    const { bucket, key, versionId, storedAt } = file;
    const openFile = () => openVersion(stage, file);
    const written = await archive.add(path, await openFile(), file.size);
    if (written.size !== file.size || written.sha256 !== (sha256 ?? written.sha256)) throw refusal('changed', { key });
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

export const jsonFile = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;

async function openVersion(stage: Buckets, { bucket, key, versionId }: OrderFile): Promise<Readable> {
  const body = await stage.open(bucket, key, versionId);
  if (body) return body;
  throw refusal('removed', { key });
}

/** Every version of every file of the order in both buckets, in the order of S3: by key, newest first. */
async function filesOf(stage: Buckets, orderRef: string): Promise<OrderFile[]> {
  const found: OrderFile[] = [];
  for (const bucket of ['intake', 'staging'] as const) {
    const folder = { client: stage.client, bucket: stage[bucket], prefix: `orders/${orderRef}/` };
    for await (const { Versions = [] } of listVersions(folder)) {
      for (const { Key = '', VersionId = '', Size = 0, LastModified, IsLatest = false } of Versions) {
        const storedAt = (LastModified ?? new Date(0)).toISOString();
        found.push({ bucket, key: Key, versionId: VersionId, size: Size, storedAt, isLatest: IsLatest });
      }
    }
  }
  return found;
}
