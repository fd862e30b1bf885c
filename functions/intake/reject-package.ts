import { headObject, type ObjectVersion } from '../../core/aws/storage.ts';
import type { Problem } from '../../core/json/json-problems.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { findOrder } from '../../core/order/order-record.ts';
import { isOrderRef, packageKey } from '../../core/package/intake-key.ts';
import { logger } from '../../core/people/operator-log.ts';
import {
  findRejected,
  findRejectedIn,
  forgetLines,
  forgetRejected,
  noteRejected,
} from '../../core/people/rejected-list.ts';
import { stageJson, unstage } from '../../core/people/staging.ts';
import { stackSettings } from '../../core/settings.ts';

/** An order, and the version of `order.json` that started it. */
export type StartedOrder = Pick<OrderItem, 'orderRef' | 'status' | 'packageVersionId'>;

export function packageObject(folder: string): ObjectVersion {
  return { bucket: stackSettings.intakeBucket, key: packageKey(folder) };
}

/** The current version of `order.json`, which may have been replaced or deleted since the event. */
export async function currentVersion(folder: string): Promise<string | undefined> {
  return (await headObject(packageObject(folder)))?.versionId;
}

/** What is wrong with a version of a package's `order.json`. */
interface Rejection {
  versionId: string;
  problems: Problem[];
  /** Whether the order was recorded before. */
  ofOrder?: true;
}

async function reject(folder: string, { problems, ...rejection }: Rejection): Promise<void> {
  logger.warn('A package was rejected', { problems: problems.length });
  const key = packageKey(folder);
  await stageProblems(folder, rejection.versionId, problems);
  await noteRejected({ ...rejection, kind: 'package', key, why: inOneLine(problems) }, await findRejected(key));
}

async function stageProblems(folder: string, versionId: string, problems: Problem[]): Promise<void> {
  await stageJson(folder, 'rejected.json', { orderRef: folder, package: packageKey(folder), versionId, problems });
}

function inOneLine([first, ...others]: Problem[]): string {
  const more = others.length === 0 ? '' : ` And ${others.length} more.`;
  return first ? `${first.path}: ${first.problem}${more}` : '';
}

/**
 * Stages the problems of a package. Deletes them again if an order has started from this version in the meantime, or if the
 * version was replaced by a newer one: the check may have run before all files were there.
 */
export async function rejectUnlessStarted(folder: string, versionId: string, problems: Problem[]): Promise<void> {
  await reject(folder, { versionId, problems });
  const order = isOrderRef(folder) ? await findOrder(folder) : undefined;
  if (!order) return;
  if (order.packageVersionId !== versionId && (await currentVersion(folder)) === versionId) {
    await rejectAnother(order, versionId);
  } else await forgetPackage(order);
}

/** Rejects an `order.json` that is not the one that started the order. */
export async function rejectAnother({ orderRef, status }: StartedOrder, versionId: string): Promise<void> {
  const problems = [
    {
      path: '$',
      problem: `The order with this orderRef was started from an earlier order.json. Its status is ${status}.`,
      mend: 'The order keeps its order.json. A document that you replace is sent in its new version if it was not sent yet. To submit another order, upload the package under a new orderRef.',
    },
  ];
  await reject(orderRef, { versionId, problems, ofOrder: true });
  // A start that is under way may have removed the page before the line was there to stop it.
  await stageProblems(orderRef, versionId, problems);
}

/**
 * Removes the problems of the package that became the order, and takes its folder off the list of rejected uploads. If another
 * `order.json` was rejected meanwhile, its problems were removed too, and are staged again. The lines go last: a repeat needs them.
 */
export async function forgetRejections(order: StartedOrder): Promise<void> {
  await unstage(order.orderRef, 'rejected.json');
  const lines = await findRejectedIn(order.orderRef);
  if (lines.some(({ kind }) => kind === 'package')) await rejectCurrent(order);
  await forgetLines(lines);
}

/** Removes the problems that a slow check, or one that was interrupted, left of the package that became the order. */
export async function forgetLeftProblems(order: StartedOrder): Promise<void> {
  const line = await findRejected(packageKey(order.orderRef));
  if (line && !line.ofOrder) await forgetPackage(order);
}

async function forgetPackage(order: StartedOrder): Promise<void> {
  await unstage(order.orderRef, 'rejected.json');
  await rejectCurrent(order);
  await forgetRejected(packageKey(order.orderRef));
}

/** Rejects the current `order.json` if it is not the one that started the order. */
async function rejectCurrent(order: StartedOrder): Promise<void> {
  const versionId = await currentVersion(order.orderRef);
  if (versionId !== undefined && versionId !== order.packageVersionId) await rejectAnother(order, versionId);
}
