import { isDeepStrictEqual } from 'node:util';
import { headObject, readObject, readObjectUpTo } from '../aws/storage.ts';
import { environment } from '../environment.ts';
import { Superseded } from '../errors.ts';
import type { Problem } from '../json/json-problems.ts';
import { type Choice, choiceProblems, type Decision, stateOf } from '../order/choices.ts';
import { decisionKey } from '../order/intake-key.ts';
import type { OrderItem } from '../order/order-item.ts';
import { findOrder } from '../order/order-record.ts';
import type { Offer } from '../order/order-service-client.ts';
import { stageJson, stagingKey, unstage } from '../order/staging.ts';
import { addDecision, type DecidedOrder, findDecision, isDecided, openPositions } from './decision.ts';
import { DECISION_LIMIT } from './decision-limit.ts';

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
 * @returns the order's decision then; undefined where there was none that could be taken.
 */
export async function takeDecision(order: DecidedOrder, offers: Offer[]): Promise<Decision | undefined> {
  const file = { bucket: environment('INTAKE_BUCKET'), key: decisionKey(order.orderRef) };
  for (let seen = order; ; seen = await readAgain(seen)) {
    const stored = await readObjectUpTo(DECISION_LIMIT, file);
    if (!stored) return undefined;
    const taken = await takeVersion(seen, stored, offers);
    if (taken === 'overtaken') continue;
    if ((await headObject(file))?.versionId === stored.versionId) return taken;
  }
}

async function readAgain({ orderRef }: DecidedOrder): Promise<DecidedOrder> {
  const now = await findOrder(orderRef);
  if (now) return now;
  throw new Superseded(`Order ${orderRef} has no record in the order table. Nothing was decided.`);
}

/** Undefined where this version can't be carried out, which is answered; `overtaken` where the record has another decision meanwhile. */
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
    return undefined;
  }
  const decision = await addDecision(order, { choices: parsed.choices, file: versionId }, known);
  if (!decision) return 'overtaken';
  await stageChoices(orderRef);
  await unstage(orderRef, 'decision-rejected.json');
  return decision;
}

/** Makes what a rule chose the decision; where somebody has decided meanwhile, that counts. */
export async function decideByRule(order: OrderItem, choices: Choice[]): Promise<Decision | undefined> {
  const decision = await addDecision(order, { choices });
  return stageChoices(order.orderRef, decision && { first: pageOf(order, decision) });
}

/** `choices.json`: what was decided, and what became of each choice. */
interface Page {
  /** Why a human must choose though there is a rule, until somebody has. */
  reason?: string | undefined;
  none: boolean;
  choices: { offerId: string; code: string; state: string }[];
}

/** What the caller of {@link stageChoices} knows. */
interface Known {
  /** What the record says, or is about to: it is staged before the record is looked at. */
  first?: Page;
  /** The caller is the one who confirms: of the record only the order can have changed meanwhile. */
  isConfirming?: true;
}

/**
 * Stages `choices.json` from the record: what was chosen and what became of each choice so far, or why a human must choose where there
 * is a rule. Whoever changes one of these calls it afterwards. Two may stage at once: each looks again until the page is what the record says.
 * @returns the decision as the record has it; undefined before anybody decided.
 */
export async function stageChoices(
  orderRef: string,
  { first, isConfirming }: Known = {},
): Promise<Decision | undefined> {
  let staged = first && (await stagePage(orderRef, first));
  for (let before: Decided | undefined; ; ) {
    const order = await findOrder(orderRef);
    if (isConfirming && before && isDeepStrictEqual(facts(order), facts(before.order))) return before.decision;
    const decision = await findDecision(order ?? { orderRef });
    const page = pageOf(order, decision);
    if (JSON.stringify(page) === staged) return decision;
    staged = await stagePage(orderRef, page);
    before = { order, decision };
  }
}

interface Decided {
  order: OrderItem | undefined;
  decision: Decision | undefined;
}

/** What the page shows of the order itself. */
const facts = (order: OrderItem | undefined) => [order?.decision, order?.decisionReason, order?.status];

/** Stages the page; answers it as a text, to be compared. */
export async function stagePage(orderRef: string, page: Page): Promise<string> {
  await stageJson(orderRef, 'choices.json', { orderRef, ...page });
  return JSON.stringify(page);
}

export function pageOf(order: OrderItem | undefined, decision: Decision | undefined): Page {
  const { choices, none } = decision ?? { choices: [], none: false };
  return {
    reason: order?.decisionReason,
    none,
    choices: choices.map((known) => ({
      offerId: known.choice.offerId,
      code: known.choice.code,
      state: stateOf(known, order?.status),
    })),
  };
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
