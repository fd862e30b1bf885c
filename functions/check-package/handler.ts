import { startExecution } from '../../core/aws/start-execution.ts';
import { type BoundedObject, findReadable, readObjectUpTo } from '../../core/aws/storage.ts';
import { addOrder } from '../../core/driving/change-record.ts';
import { lambdaHandler, logger } from '../../core/log.ts';
import { inWords } from '../../core/messages/english.ts';
import { count } from '../../core/metrics.ts';
import { labelsOf } from '../../core/order/labels.ts';
import type { OrderItem, PackageDocument } from '../../core/order/order-item.ts';
import { findOrder } from '../../core/order/order-record.ts';
import { type CreatedObject, objectCreated, orderOfObject } from '../../core/package/intake-event.ts';
import { type IntakePart, intakePart, isFileName, isOfSystem, isOrderRef } from '../../core/package/intake-key.ts';
import { UNDECIDED } from '../../core/package/kept-decision.ts';
import type { OrderPackage } from '../../core/package/package-schema.ts';
import {
  type CheckResult,
  checkWholePackage,
  ORDER_JSON_BYTES,
  type PackageSettings,
} from '../../core/package/whole-package.ts';
import { eachEvent } from '../../core/queue-batch.ts';
import { limitSettings, offerSettings, signingSettings, stackSettings } from '../../core/settings.ts';
import {
  answerMisplaced,
  answerRemoved,
  answerUnknown,
  answerUpload,
  findAnswer,
  isFolderMarker,
  withdrawCut,
} from '../../core/staging/answer-rejected.ts';
import { packageObject, rejectAnother, type StartedOrder } from './reject-package.ts';
import { packageFile, replaceDocument } from './replace-document.ts';

/**
 * Handles a file that was put into intake. Checks the whole package of the file. Starts an order for a valid package, and stages the
 * problems of an invalid one. Every file of a package invokes this function, so files may be uploaded in any order. A file that can never
 * be part of an order is answered at once.
 * @param isAgain whether to read the order and the answer first. An order.json usually starts its order without that, because the write of
 * the record fails if the order already exists.
 */
async function checkPackage(object: CreatedObject, isAgain = false): Promise<void> {
  const part = intakePart(object.key);
  if (isFolderMarker(object) || isOfReceive(part)) return;
  if (!part || isOfSystem(`${part.folder}/`) || (part.part === 'document' && !isFileName(part.file)))
    return answerMisplaced(object);
  const { folder } = part;
  if (!isOrderRef(folder)) logger.appendKeys({ orderRef: '(no orderRef)' });
  const looks = isAgain || part.part === 'document';
  const order = looks && isOrderRef(folder) ? await findOrder(folder) : undefined;
  // A record without a package is no order: an operator's rights suffice to write a few attributes under any key.
  if (order?.packageVersionId !== undefined) return continueWith(order, part, object);
  const stored = await readObjectUpTo(ORDER_JSON_BYTES, packageObject(folder));
  if (!stored && looks) return awaitPackage(part, object);
  // S3 may not say the version of an unreadable order.json. Then only its own event answers it.
  if (stored) stored.versionId ||= (part.part === 'package' && object['version-id']) || '';
  if (stored?.versionId === '') return;
  // Another event of the package was faster: it started the order, perhaps from an earlier version, or answered this one.
  if (!stored || !(await handle(folder, stored, looks))) await checkPackage(object, true);
}

/** Starts the order of the package, or answers the package if `mayReject`. Returns false if neither was done. */
async function handle(folder: string, stored: BoundedObject, mayReject: boolean): Promise<boolean> {
  const { versionId } = stored;
  const upload = { key: packageObject(folder).key, versionId };
  const before = mayReject ? await findAnswer(upload) : undefined;
  const { problems, passed } = await check(folder, stored);
  if (passed) return accept(folder, stored, passed.content, passed.documents);
  if (!mayReject) return false;
  logger.warn('A package was rejected', { problems: problems.length });
  return answerUpload({ kind: 'package', ...upload, problems }, before);
}

type PackagePart = Extract<IntakePart, { part: 'package' | 'document' }>;

/** EventBridge's rule for documents also matches signatures/documents/…, whose events `receive-upload` gets, too. */
const isOfReceive = (part: IntakePart | undefined): part is Exclude<IntakePart, PackagePart> =>
  part !== undefined && part.part !== 'package' && part.part !== 'document';

/** A document may come before its order.json, unless its folder is not a valid `orderRef`. An order.json may have been deleted again. */
async function awaitPackage({ part, folder }: PackagePart, object: CreatedObject): Promise<void> {
  if (part === 'document' && !isOrderRef(folder)) return answerUnknown(object, inWords('folderName', {}));
  logger.info('There is no order.json in the folder of the upload');
}

/** Handles a file in the folder of an order that already exists. */
async function continueWith(order: OrderItem, part: PackagePart, object: CreatedObject): Promise<void> {
  const { 'version-id': versionId } = object;
  if (part.part === 'document') {
    if (order.removal) return answerRemoved(object);
    if (!order.documents.some(({ file }) => file === part.file))
      await answerUnknown(object, inWords('notInPackage'), { afterStart: true });
    else await replaceDocument(order, part.file, versionId);
  }
  // A crash may have prevented an earlier start.
  if (order.generation === 1 && !order.execution) await start(order);
  else logger.info('The order was started before');
  // Only an order.json other than the one that started the order is answered.
  if (part.part === 'package' && versionId !== order.packageVersionId) await rejectAnother(order, versionId);
}

function check(folder: string, { bytes, unreadable, kmsKey }: BoundedObject): Promise<CheckResult> {
  const find = (file: string) => findReadable(packageFile(folder, file), kmsKey);
  return checkWholePackage({ folder, hasValidName: isOrderRef(folder), bytes, unreadable, find }, settings());
}

const settings = (): PackageSettings => ({
  choose: offerSettings.choose,
  hasRule: offerSettings.rule !== undefined,
  signing: signingSettings.mode,
  hasKey: signingSettings.hasKey,
  documentBytes: limitSettings.documentBytes,
  orderSchema: stackSettings.orderSchema === undefined ? undefined : JSON.parse(stackSettings.orderSchema),
});

/** Records and starts the order. Returns false if it already exists. */
async function accept(
  orderRef: string,
  { versionId, bytes }: BoundedObject,
  content: OrderPackage,
  documents: PackageDocument[],
): Promise<boolean> {
  const order = { orderRef, status: 'RECEIVED', waitingFor: 'service' as const, generation: 1 };
  const { whoChooses } = await import('../../core/package/package-schema.ts');
  const choose = whoChooses(content.offers, settings());
  const signing = content.signing ?? settings().signing;
  const details = { packageVersionId: versionId, documents, choose, signing, decision: UNDECIDED };
  const labels = bytes && stackSettings.labels && labelsOf(bytes, JSON.parse(stackSettings.labels));
  if (!(await addOrder({ ...order, ...details, ...(labels && { labels }) }))) return false;
  count('OrdersStarted');
  await start({ ...order, packageVersionId: versionId });
  return true;
}

/** Starts the order of an accepted package. A repeat does no harm. */
async function start(order: StartedOrder): Promise<void> {
  const { orderRef } = order;
  await withdrawCut(orderRef);
  await rejectAnother(order);
  await startExecution(orderRef, 1);
  logger.info('The order was started');
}

export const handler = lambdaHandler(eachEvent((event) => checkPackage(objectCreated(event)), orderOfObject));
