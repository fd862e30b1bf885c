import { orderTable } from '../aws/order-table.ts';
import { type BoundedObject, headObject, readObject, readObjectUpTo } from '../aws/storage.ts';
import { Superseded } from '../errors.ts';
import { ofFile, type Problem } from '../json/json-problems.ts';
import { type Decision, findDecision } from '../order/decision-states.ts';
import type { OrderItem } from '../order/order-item.ts';
import { findOrder } from '../order/order-record.ts';
import { addToTimeline } from '../order/timeline.ts';
import type { Offer } from '../order-service/order-service-client.ts';
import { DECISION_BYTES } from '../package/decision-limits.ts';
import { decisionKey } from '../package/intake-key.ts';
import type { Choice } from '../package/kept-decision.ts';
import { stackSettings } from '../settings.ts';
import { sendOutbox } from '../staging/send-outbox.ts';
import { publishJson, stagingKey, unpublish } from '../staging/staging.ts';
import { choiceProblems } from './choices.ts';
import { addDecision, isDecided, replacedBy } from './decision.ts';

const REJECTED = 'decision-rejected.json';

async function staged<Page>(orderRef: string, name: string): Promise<Page | undefined> {
  const stored = await readObject({ bucket: stackSettings.stagingBucket, key: stagingKey(orderRef, name) });
  return stored && (JSON.parse(new TextDecoder().decode(stored.bytes)) as Page);
}

/** Reads the offers of the last read from staging; undefined if there are none yet. */
export const stagedOffers = (orderRef: string): Promise<Offer[] | undefined> => staged(orderRef, 'offers.json');

/**
 * Records the current version of `decision.json` in intake as the order's decision. A decision that cannot be carried out changes nothing:
 * its problems are staged as `decision-rejected.json`. Functions for two versions may run at the same time, so each checks again until the
 * record has the current version of intake.
 * @returns the recorded decision, if it decides anything. It stays valid if its file is deleted or replaced by an invalid one.
 */
export async function takeDecision(order: OrderItem, offers: Offer[]): Promise<Decision | undefined> {
  const file = decisionFile(order);
  for (let current = order; ; current = await readAgain(current)) {
    const stored = await readObjectUpTo(DECISION_BYTES, file);
    if (!stored) return deciding(await findDecision(current), offers);
    const taken = await takeVersion(current, stored, offers);
    if (taken === 'overtaken') continue;
    if ((await headObject(file))?.versionId === stored.versionId) return taken;
  }
}

const decisionFile = ({ orderRef }: OrderItem) => ({
  bucket: stackSettings.intakeBucket,
  key: decisionKey(orderRef),
});

/**
 * Refuses the decision in intake, because the order is over. If it was recorded before (its function was interrupted, or its event is
 * delivered again), `choices.json` is the answer.
 */
export async function refuseAfterEnd(order: OrderItem): Promise<void> {
  const { orderRef, status, decision } = order;
  await sendOutbox(order);
  const { versionId } = (await headObject(decisionFile(order))) ?? {};
  if (versionId === decision.decided?.file) return;
  await rejectDecision(orderRef, [ofFile('orderFinal', { status })], versionId);
}

const deciding = (decision: Decision | undefined, offers: Offer[]): Decision | undefined =>
  isDecided(decision, offers) ? decision : undefined;

async function readAgain({ orderRef }: OrderItem): Promise<OrderItem> {
  const now = await findOrder(orderRef);
  if (now && !now.removal && !now.dismissed) return now;
  throw new Superseded(`Order ${orderRef} was dismissed or erased, or has no record. Nothing was decided.`);
}

/**
 * Records one version of `decision.json`. If it cannot be carried out, stages its problems and keeps the previous decision.
 * @returns the decision; `overtaken` if another one was recorded in the meantime.
 */
async function takeVersion(
  order: OrderItem,
  { bytes, unreadable: why, versionId, storedAt }: BoundedObject,
  offers: Offer[],
): Promise<Decision | undefined | 'overtaken'> {
  const { orderRef } = order;
  const before = await findDecision(order);
  // This version has been recorded before.
  if (order.decision.decided?.file === versionId && isDecided(before, offers)) {
    await sendOutbox(order);
    await unpublish(orderRef, REJECTED);
    return before;
  }
  const { parseDecision } = await import('../package/decision-schema.ts');
  const parsed = why ? { problems: [ofFile('unreadable', { name: 'decision.json', why })] } : parseDecision(bytes);
  const problems = 'problems' in parsed ? parsed.problems : choiceProblems(parsed.choices, offers, before);
  if ('problems' in parsed || problems.length > 0) {
    await rejectDecision(orderRef, problems, versionId);
    return deciding(before, offers);
  }
  const { choices, ...written } = parsed;
  const decided = { how: 'person', at: storedAt, file: versionId, written } as const;
  const replaced = replacedBy(choices, before);
  // This comes before the new decision is recorded: an interrupted function may add the line twice, but never omits it.
  const { file } = order.decision.decided ?? {};
  if (replaced > 0)
    await addToTimeline(orderRef, 'A decision was replaced', { choices: replaced, ...(file && { file }) });
  const decision = await addDecision(order, { choices, decided }, before);
  if (!decision) return 'overtaken';
  await addToTimeline(orderRef, 'A decision arrived', { offers: choices.length, file: versionId });
  await unpublish(orderRef, REJECTED);
  return decision;
}

/** Adds a line about a `decision.json` that came early or was replaced before it was read: its author may rely on it. */
export async function noteUnread(order: OrderItem, versionId: string, isEarly: boolean): Promise<void> {
  // S3 may not say the version of an unreadable file.
  const isCurrent = [versionId, ''].includes((await headObject(decisionFile(order)))?.versionId ?? 'none');
  if (isCurrent && !isEarly) return;
  const lines = await orderTable.queryItems<{ file?: string }>(order.orderRef, 'event#');
  if (lines.some(({ file }) => file === versionId)) return;
  const what = isCurrent
    ? 'A decision arrived before the order waited for it'
    : 'A decision was replaced or deleted before it was read';
  await addToTimeline(order.orderRef, what, { file: versionId });
}

/** Records the rule's choices as the decision. If somebody has decided in the meantime, returns that decision. */
export async function decideByRule(order: OrderItem, choices: Choice[]): Promise<Decision | undefined> {
  const decided = { how: 'rule', at: new Date().toISOString() } as const;
  return (await addDecision(order, { choices, decided })) ?? findDecision(await readAgain(order));
}

/**
 * Stages the problems of a decision that is not carried out. The timeline names each version of the file once: a file that stays in
 * intake is judged again whenever the wait begins again.
 */
async function rejectDecision(orderRef: string, problems: Problem[], versionId: string | undefined): Promise<void> {
  const answered = await staged<{ versionId?: string }>(orderRef, REJECTED);
  if (answered === undefined || answered.versionId !== versionId) {
    const file = versionId && { file: versionId };
    await addToTimeline(orderRef, 'A decision was rejected', { problems: problems.length, ...file });
  }
  await publishJson(orderRef, REJECTED, { orderRef, versionId, problems });
}
