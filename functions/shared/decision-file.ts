import { type Choice, choiceProblems, type Decision, stateOf } from './choices.ts';
import { addDecision, type DecidedOrder, findDecision, openPositions } from './decision.ts';
import { DECISION_LIMIT } from './decision-limit.ts';
import { environment } from './environment.ts';
import { decisionKey } from './intake-key.ts';
import type { Problem } from './json-problems.ts';
import { findOrder, type OrderItem } from './order-record.ts';
import type { Offer } from './order-service-client.ts';
import { stageJson, stagingKey, unstage } from './staging.ts';
import { readObject, readObjectUpTo } from './storage.ts';

/** The offers as the service sent them, from staging; undefined before the service had any. */
export async function stagedOffers(orderRef: string): Promise<Offer[] | undefined> {
  const stored = await readObject({ bucket: environment('STAGING_BUCKET'), key: stagingKey(orderRef, 'offers.json') });
  return stored && (JSON.parse(new TextDecoder().decode(stored.bytes)) as Offer[]);
}

/**
 * Takes `decision.json` from intake into the record. A decision that can't be carried out is answered in staging as
 * `decision-rejected.json`, changes nothing, and may be uploaded again. What was decided and confirmed before may be repeated.
 * @returns the order's decision then; undefined where there was none that could be taken.
 */
export async function takeDecision(order: DecidedOrder, offers: Offer[]): Promise<Decision | undefined> {
  const { orderRef } = order;
  const stored = await readObjectUpTo(DECISION_LIMIT, {
    bucket: environment('INTAKE_BUCKET'),
    key: decisionKey(orderRef),
  });
  if (!stored) return undefined;
  const { parseDecision } = await import('./decision-schema.ts');
  const parsed = parseDecision(stored.bytes);
  const known = 'problems' in parsed ? undefined : await findDecision(order);
  const problems = 'problems' in parsed ? parsed.problems : choiceProblems(parsed.choices, offers, known);
  if ('problems' in parsed || problems.length > 0) {
    await rejectDecision(orderRef, problems, stored.versionId);
    return undefined;
  }
  const decision = await decide(order, parsed.choices, known);
  await unstage(orderRef, 'decision-rejected.json');
  return decision;
}

/** Makes these choices the decision and stages it: see {@link addDecision}. */
export async function decide(order: DecidedOrder, choices: Choice[], known?: Decision): Promise<Decision> {
  const { decision, isFirst } = await addDecision(order, choices, known);
  // What was chosen before may be confirmed this very moment: then the page is made of what the ledger has by now.
  await (isFirst ? stageDecision(order.orderRef, decision) : stageChoices(order.orderRef));
  return decision;
}

/**
 * Stages `choices.json`: what was chosen and what became of each choice so far, or why a human must choose where there is a
 * rule. Written whenever one of these changes.
 */
export async function stageChoices(orderRef: string, reason?: string): Promise<void> {
  const decision = await findDecision((await findOrder(orderRef)) ?? { orderRef });
  await stageDecision(orderRef, decision ?? { choices: [], none: false }, reason);
}

/** Stages `choices.json` of a decision that is known. */
export async function stageDecision(orderRef: string, { choices, none }: Decision, reason?: string): Promise<void> {
  const page = choices.map((known) => ({
    offerId: known.choice.offerId,
    code: known.choice.code,
    state: stateOf(known),
  }));
  await stageJson(orderRef, 'choices.json', { orderRef, reason, none, choices: page });
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
