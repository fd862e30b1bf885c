import type { Problem } from '../../functions/shared/json/json-problems.ts';
import { DECISION_LIMIT } from '../../functions/shared/offers/decision-limit.ts';
import { parseDecision } from '../../functions/shared/offers/decision-schema.ts';
import { type Choice, choiceProblems, type Decision } from '../../functions/shared/order/choices.ts';
import { decisionKey } from '../../functions/shared/order/intake-key.ts';
import { isFinal } from '../../functions/shared/order/order-item.ts';
import { readLocalFile } from '../local-file.ts';
import { type Answer, Refusal } from '../refusal.ts';
import { openBuckets } from '../stage/buckets.ts';
import { connect } from '../stage/connection.ts';
import type { PlaceOptions } from '../stage/place.ts';
import type { OrderDetails } from '../stage/record.ts';
import { stagedOffers } from './offers.ts';

/** The decision on the command line: a list of choices (empty with `--none`), or a file that holds one. */
export type Wish = { choices: Choice[] } | { file: string };

/** `confirm <orderRef>`: checks a decision against the staged offers, then uploads it to intake as `decision.json`. */
export async function confirm(place: PlaceOptions, orderRef: string, wish: Wish): Promise<Answer> {
  const choices = 'file' in wish ? await readChoices(wish.file) : wish.choices;
  const { record } = await connect(place);
  const details = await record.details(orderRef);
  refuseUndecidable(details);
  const buckets = await openBuckets(place);
  const problems = choiceProblems(choices, await stagedOffers(buckets, orderRef), details.decision);
  if (problems.length > 0)
    throw new Refusal(`Nothing was decided on order ${orderRef}. ${sentences(problems, choices)}`);
  const left = leftOut(details.decision, choices);
  await buckets.putIntake(decisionKey(orderRef), `${JSON.stringify({ choices }, undefined, 2)}\n`, 'application/json');
  return answer(orderRef, choices, left);
}

async function readChoices(path: string): Promise<Choice[]> {
  const bytes = await readLocalFile(path);
  const parsed = parseDecision(bytes.length > DECISION_LIMIT ? undefined : bytes);
  if ('choices' in parsed) return parsed.choices;
  const found = parsed.problems.map(({ path: place, problem, mend }) => `${place}: ${problem} ${mend}`).join(' ');
  throw new Refusal(`${path} is not a decision: nothing was decided. ${found}`);
}

function refuseUndecidable({ order: { orderRef, status, dismissed } }: OrderDetails): void {
  if (dismissed) {
    throw new Refusal(
      `Order ${orderRef} was dismissed: nothing was decided. An operator brings it back with "loan-orders retry ${orderRef}".`,
    );
  }
  if (status === 'OFFERS_AVAILABLE' || status === 'OFFERS_APPROVED') return;
  throw new Refusal(
    isFinal(status)
      ? `Order ${orderRef} is ${status}, which is final: no further decision is possible.`
      : `Order ${orderRef} is ${status} and has no offers yet: nothing was decided. Repeat this when it is OFFERS_AVAILABLE.`,
  );
}

/** The problems, each with the offer and code that the user typed instead of its path in a file. */
function sentences(problems: Problem[], choices: Choice[]): string {
  return problems
    .map(({ path, problem, mend }) => {
      const choice = choices[Number(/\[(\d+)\]/.exec(path)?.[1])];
      return `Offer ${choice?.offerId}, code ${choice?.code}: ${problem} ${mend}`;
    })
    .join(' ');
}

/** Offers that an earlier decision chose and these choices leave out. A confirm that has already been sent is not counted. */
function leftOut(earlier: Decision | undefined, choices: Choice[]): string[] {
  const open = (earlier?.choices ?? []).filter(
    ({ choice, confirm }) => !choice.withdrawn && confirm !== 'done' && confirm !== 'open',
  );
  return open.map(({ choice }) => choice.offerId).filter((known) => !choices.some(({ offerId }) => offerId === known));
}

function answer(orderRef: string, choices: Choice[], leftOutOffers: string[]): Answer {
  const taken = choices.map(({ offerId, code }) => `${offerId} (${code})`).join(', ');
  return {
    lines: [
      choices.length > 0
        ? `Decided on order ${orderRef}: ${taken}. Follow it with "loan-orders show ${orderRef}".`
        : `Decided on order ${orderRef}: no offer is taken. Polling continues until the service closes the order.`,
      ...(leftOutOffers.length > 0 ? [`No longer chosen, and not yet confirmed: ${leftOutOffers.join(', ')}.`] : []),
    ],
    json: { orderRef, choices, leftOut: leftOutOffers },
  };
}
