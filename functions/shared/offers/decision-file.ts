import { headObject, readObject, readObjectUpTo } from '../aws/storage.ts';
import { environment } from '../environment.ts';
import { Superseded } from '../errors.ts';
import type { Problem } from '../json/json-problems.ts';
import { type Choice, choiceProblems, type Decision } from '../order/choices.ts';
import { decisionKey } from '../order/intake-key.ts';
import type { OrderItem } from '../order/order-item.ts';
import { findOrder } from '../order/order-record.ts';
import type { Offer } from '../order/order-service-client.ts';
import { stageJson, stagingKey, unstage } from '../order/staging.ts';
import { addEvent } from '../order/timeline.ts';
import { pageOf, stageChoices } from './choices-page.ts';
import { addDecision, type DecidedOrder, findDecision, isDecided, openPositions } from './decision.ts';
import { DECISION_LIMIT } from './decision-limit.ts';

export { pageOf, stageChoices, stagePage } from './choices-page.ts';

/** The offers as the service sent them, from staging; undefined before the service had any. */
export async function stagedOffers(orderRef: string): Promise<Offer[] | undefined> {
  const stored = await readObject({ bucket: environment('STAGING_BUCKET'), key: stagingKey(orderRef, 'offers.json') });
  return stored && (JSON.parse(new TextDecoder().decode(stored.bytes)) as Offer[]);
}

/**
 * Takes `decision.json` from intake into the record. A decision that can't be carried out is answered in staging as
 * `decision-rejected.json`, changes nothing, and may be uploaded again. What was decided and confirmed before may be repeated.
 *
 * What counts is the version that is current in intake. Functions for two versions may run at once, and the older be the slower: each
 * looks again after it has written, and where it could not, until intake and the record agree.
 * @returns the order's decision then, where it decides anything: one that was taken stays though its file is deleted, or an unusable one
 * follows.
 */
export async function takeDecision(order: DecidedOrder, offers: Offer[]): Promise<Decision | undefined> {
  const file = { bucket: environment('INTAKE_BUCKET'), key: decisionKey(order.orderRef) };
  for (let seen = order; ; seen = await readAgain(seen)) {
    const stored = await readObjectUpTo(DECISION_LIMIT, file);
    if (!stored) return deciding(await findDecision(seen), offers);
    const taken = await takeVersion(seen, stored, offers);
    if (taken === 'overtaken') continue;
    if ((await headObject(file))?.versionId === stored.versionId) return taken;
  }
}

function deciding(known: Decision | undefined, offers: Offer[]): Decision | undefined {
  return isDecided(known, offers) ? known : undefined;
}

async function readAgain({ orderRef }: DecidedOrder): Promise<DecidedOrder> {
  const now = await findOrder(orderRef);
  if (now) return now;
  throw new Superseded(`Order ${orderRef} has no record in the order table. Nothing was decided.`);
}

/** A version that can't be carried out is answered, and the decision before it stays; `overtaken` where the record has another meanwhile. */
async function takeVersion(
  order: DecidedOrder,
  { bytes, versionId }: { bytes?: Uint8Array | undefined; versionId: string },
  offers: Offer[],
): Promise<Decision | undefined | 'overtaken'> {
  const { orderRef } = order;
  const known = await findDecision(order);
  // It was taken before, by a function whose answer was lost, or before the wait began again.
  if (order.decision?.file === versionId && isDecided(known, offers)) {
    await unstage(orderRef, 'decision-rejected.json');
    return stageChoices(orderRef);
  }
  const { parseDecision } = await import('./decision-schema.ts');
  const parsed = parseDecision(bytes);
  const problems = 'problems' in parsed ? parsed.problems : choiceProblems(parsed.choices, offers, known);
  if ('problems' in parsed || problems.length > 0) {
    await rejectDecision(orderRef, problems, versionId);
    return deciding(known, offers);
  }
  const decision = await addDecision(order, { choices: parsed.choices, file: versionId }, known);
  if (!decision) return 'overtaken';
  await addEvent(orderRef, 'A decision arrived');
  await stageChoices(orderRef);
  await unstage(orderRef, 'decision-rejected.json');
  return decision;
}

/** Makes what a rule chose the decision; where somebody has decided meanwhile, that counts. */
export async function decideByRule(order: OrderItem, choices: Choice[]): Promise<Decision | undefined> {
  const decision = await addDecision(order, { choices });
  return stageChoices(order.orderRef, decision && { first: pageOf(order, decision) });
}

/** Answers a decision that is not carried out; it changes nothing. */
export async function rejectDecision(orderRef: string, problems: Problem[], versionId?: string): Promise<void> {
  await stageJson(orderRef, 'decision-rejected.json', { orderRef, versionId, problems });
}

/** What the Map state `Confirm offer` runs over: positions in the order's decision, never the offers themselves. */
export function choicesOutput(
  { orderRef, generation }: Pick<OrderItem, 'orderRef' | 'generation'>,
  decision: Decision,
  offers: Offer[],
) {
  return openPositions(decision, offers).map((position) => ({ orderRef, generation, position }));
}
