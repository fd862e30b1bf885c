import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NOT_MET } from '../../core/aws/storage.ts';
import { packageKey } from '../../core/package/intake-key.ts';
import type { PackageSettings } from '../../core/package/whole-package.ts';
import type { StatusPage } from '../../core/staging/pages.ts';
import { answerKey, type RejectedUpload, type RejectionProblem } from '../../core/staging/rejected-upload.ts';
import { type Buckets, openBuckets } from '../shared/buckets.ts';
import { ignoring } from '../shared/failure.ts';
import { type LocalPackage, readPackage } from '../shared/local-package.ts';
import type { PlaceOptions } from '../shared/place.ts';
import { problemLines } from '../shared/rejection-text.ts';
import { packagesOf, settingsOf, stackOutputs } from '../shared/stack-outputs.ts';
import { type CommandResult, formatBytes, Refusal, some } from '../shared/text.ts';
import type { UploadProgress } from './progress.ts';
import { checksumOfFile, type FileToUpload, storedObject, uploadFile } from './upload.ts';

const ORDER_JSON = 'order.json';

export type ProgressOf = (files: FileToUpload[]) => UploadProgress;

/** Exit code of a package that was rejected, or not answered in time. */
const NOT_STARTED = 1;

export interface Submission {
  settings: PackageSettings;
  buckets: Buckets;
  progressOf: ProgressOf;
  /** Throws a Refusal unless the package may be submitted without files that `order.json` does not name. */
  leaveOut?: (local: LocalPackage) => Promise<void>;
  /** Refuses to change the documents of an order that is there. */
  isNew?: true;
  /** Says what to know before the package is uploaded. */
  warn?: (local: LocalPackage) => Promise<void>;
}

export async function openIntake(place: PlaceOptions): Promise<Pick<Submission, 'settings' | 'buckets'>> {
  const outputs = await stackOutputs(place);
  return { settings: await packagesOf(place, settingsOf(outputs)), buckets: await openBuckets(place, outputs) };
}

/** Submits one package. The caller opens and shows what several packages share. */
export async function submitPackage(
  { settings, buckets, progressOf, leaveOut, isNew, warn }: Submission,
  folder: string,
  ref?: string,
): Promise<CommandResult> {
  const local = await readPackage(folder, settings, ref);
  if (local.problems.length > 0) {
    const json = { orderRef: local.orderRef, uploaded: [], problems: local.problems };
    return { lines: [...problemLines(local), 'Nothing was uploaded.'], json, exitCode: NOT_STARTED };
  }
  if (local.unnamed.length > 0) await leaveOut?.(local);
  await warn?.(local);
  const statusPage = await buckets.staged<StatusPage>(local.orderRef, 'status.json');
  const files = filesOf(local, buckets.intake);
  const missing = await notInIntake(buckets, files);
  const isOrderJson = ({ name }: FileToUpload) => name === ORDER_JSON;
  if (statusPage && missing.some((file) => isNew || isOrderJson(file))) throw startedFromAnother(statusPage, isNew);
  // A rejected package is answered again, and the answer names the version of its order.json.
  if (!statusPage && missing.length > 0 && !missing.some(isOrderJson)) missing.push(...files.filter(isOrderJson));
  const orderJson = missing.find(isOrderJson);
  const uploaded = missing.map(({ name }) => name);
  const found = await storedObject(buckets.client, buckets.intake, packageKey(local.orderRef));
  const stored = found?.VersionId ?? '';
  // Otherwise, uploading a missing document would start the order from the old order.json.
  if (orderJson && stored !== '' && missing.length > 1) missing.unshift(orderJson);
  const versions = await upload(buckets, missing, progressOf(missing));
  if (statusPage) return alreadySubmitted(statusPage, uploaded);
  const version = (orderJson && versions.get(orderJson.key)) ?? stored;
  const answer = await awaitAnswer(buckets, local.orderRef, version);
  return report(local, uploaded, answer);
}

/** Every file of the package, `order.json` last: it is what makes a package complete. */
function filesOf({ folder, orderRef, passed }: LocalPackage, bucket: string): FileToUpload[] {
  const documents = (passed?.documents ?? []).map(({ file, size, contentType }) => ({
    path: join(folder, file),
    name: file,
    size,
    contentType,
    bucket,
    key: `orders/${orderRef}/${file}`,
  }));
  const path = join(folder, ORDER_JSON);
  const sent = { size: statSync(path).size, contentType: 'application/json', bucket, key: packageKey(orderRef) };
  return [...documents, { path, name: ORDER_JSON, ...sent }];
}

async function notInIntake({ client }: Buckets, files: FileToUpload[]): Promise<FileToUpload[]> {
  const missing: FileToUpload[] = [];
  for (const file of files) {
    const stored = await storedObject(client, file.bucket, file.key);
    file.etag = stored?.ETag;
    if (!(await isOf(file, stored))) missing.push(file);
  }
  return missing;
}

const isOf = async (file: FileToUpload, stored: { ChecksumSHA256?: string | undefined } | undefined) =>
  stored?.ChecksumSHA256 !== undefined && stored.ChecksumSHA256 === (await checksumOfFile(file));

/** Uploads the files one after another and returns their versions by key. */
async function upload({ client }: Buckets, files: FileToUpload[], progress: UploadProgress) {
  const versions = new Map<string, string>();
  try {
    for (const file of files) {
      progress.begin(file);
      const uploaded = await uploadFile(client, file, (bytes) => progress.add(bytes)).catch(ignoring(isNotMet));
      const { ETag, VersionId = '' } = uploaded ?? (await uploadedBefore(client, file));
      file.etag = ETag;
      versions.set(file.key, VersionId);
    }
    return versions;
  } finally {
    progress.end();
  }
}

const isNotMet = ({ name }: Error) => NOT_MET.includes(name);

/** What S3 has in place of a file that was not uploaded. It is ours if an answer was lost. */
async function uploadedBefore(client: Buckets['client'], file: FileToUpload) {
  const stored = await storedObject(client, file.bucket, file.key);
  if (stored && (await isOf(file, stored))) return stored;
  throw new Refusal(
    `Somebody else uploaded ${file.key} at the same time: no more is uploaded. Look at that order before you repeat.`,
  );
}

function startedFromAnother({ orderRef, status }: StatusPage, isNew = false): Refusal {
  const [another, how] = isNew ? ['package', ''] : ['order.json', ' with --ref'];
  return new Refusal(
    `Order ${orderRef} was started from another ${another} and is ${status}: nothing was uploaded. ` +
      `An order keeps its order.json. Submit this package under another reference${how}.`,
  );
}

function alreadySubmitted({ orderRef, status, waitingFor }: StatusPage, uploaded: string[]): CommandResult {
  const replaced =
    uploaded.length > 0
      ? `New versions of ${some(uploaded.length, 'document')} were uploaded. A document that was sent to the order service already is sent again only if the service asks for it.`
      : 'Its files are the ones in intake: nothing was uploaded.';
  return {
    lines: [`Order ${orderRef} was submitted before and is ${status}, waiting for ${waitingFor}. ${replaced}`],
    json: { orderRef, uploaded, status, waitingFor },
  };
}

function report(local: LocalPackage, uploaded: string[], answer: IntakeAnswer): CommandResult {
  const { orderRef, folder, passed, orderJson } = local;
  if (answer.kind === 'none') {
    return {
      lines: [
        `Order ${orderRef}: the package is in intake, but there was no answer in time. Nothing is lost. ` +
          `Run the same command again to look for the answer; if there is still none, see docs/operations.md, "Intake does not answer".`,
      ],
      json: { orderRef, uploaded },
      exitCode: NOT_STARTED,
    };
  }
  if (answer.kind === 'rejected') {
    const { problems } = answer;
    return {
      lines: [...problemLines({ folder, problems }), 'Correct them and submit the folder again.'],
      json: { orderRef, uploaded, problems },
      exitCode: NOT_STARTED,
    };
  }
  const { status, waitingFor } = answer.page;
  const size = (passed?.documents ?? []).reduce((sum, document) => sum + document.size, orderJson.length);
  return {
    lines: [
      `Order ${orderRef} was accepted: ${some(passed?.documents.length ?? 0, 'document')}, ${formatBytes(size)}. ` +
        `It is ${status}.`,
      `Follow it with "loan-orders show ${orderRef}".`,
    ],
    json: { orderRef, uploaded, status, waitingFor },
  };
}

/** The answer that `check-package` staged for a package. `none`: no answer in time. */
type IntakeAnswer =
  | { kind: 'accepted'; page: StatusPage }
  | { kind: 'rejected'; problems: RejectionProblem[] }
  | { kind: 'none' };

/** Milliseconds between the first two polls, and the maximum between later ones. The laptop answers at once, AWS within seconds. */
const FIRST_WAIT = 50;
const LONGEST_WAIT = 500;
/** Milliseconds until the command stops polling. */
const PATIENCE = 120_000;

/** @param versionId the version of the package's `order.json` in intake. */
async function awaitAnswer(buckets: Buckets, orderRef: string, versionId: string): Promise<IntakeAnswer> {
  const answer = answerKey({ key: packageKey(orderRef), versionId });
  const end = Date.now() + PATIENCE;
  for (let wait = FIRST_WAIT; Date.now() < end; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    const page = await buckets.staged<StatusPage>(orderRef, 'status.json');
    if (page) return { kind: 'accepted', page };
    const rejected = await buckets.stagedAt<RejectedUpload>(answer);
    if (rejected) return { kind: 'rejected', problems: rejected.problems };
    await pause(wait);
  }
  return { kind: 'none' };
}
