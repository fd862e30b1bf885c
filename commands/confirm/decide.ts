import type { Problem } from '../../core/json/json-problems.ts';
import { choiceProblems } from '../../core/offers/choices.ts';
import { type Decision, stateOf } from '../../core/order/decision-states.ts';
import { isFinal, type OrderItem } from '../../core/order/order-item.ts';
import type { Offer } from '../../core/order-service/order-service-client.ts';
import { type GivenDecision, parseDecision } from '../../core/package/decision-schema.ts';
import type { Choice } from '../../core/package/kept-decision.ts';
import { findOffers, publishedOffers } from '../offers.ts';
import type { Buckets } from '../shared/buckets.ts';
import type { StageConnection } from '../shared/connection.ts';
import { decidedSentence, offersText, writtenLines } from '../shared/decided.ts';
import { ignoring, isAccessDenied } from '../shared/failure.ts';
import type { OrderDetails } from '../shared/order-details.ts';
import {
  differenceSentences,
  differencesOf,
  type OfferDifference,
  Overtaken,
  offerViews,
  type Seen,
} from '../shared/overtaken.ts';
import {
  codesOf,
  leftOut,
  offerFacts,
  takeableOffers,
  takeableSentence,
  termsLines,
} from '../shared/takeable-offers.ts';
import { type CommandResult, plain, Refusal } from '../shared/text.ts';
import { DECIDE_AGAIN, decidedMeanwhile, fateSince, isInIntake, putDecision } from './put-decision.ts';

/**
 * Reads the order and its staged offers again, then uploads a decision to intake as `decision.json`. Does not read from the service, which
 * limits when it may be read; its bank answers the confirm.
 * @param seen what the person has seen. Default: the present state.
 * @throws Refusal when the order or its offers do not allow the decision, or have changed since they were seen.
 */
export async function decideOffers(
  { record, withDecider }: Pick<StageConnection, 'record' | 'withDecider'>,
  buckets: Buckets,
  orderRef: string,
  wanted: GivenDecision,
  seen?: Seen,
): Promise<CommandResult> {
  const { choices, ...written } = checkedDecision(
    `Nothing was decided on order ${orderRef}.`,
    Buffer.from(JSON.stringify(wanted)),
  );
  const given = { choices, ...(await withDecider(written)) };
  const details = await record.details(orderRef);
  const { order, decision } = details;
  const text = `${JSON.stringify(given, undefined, 2)}\n`;
  const fate = async () => seen && fateSince(buckets, order, seen.decisions, text);
  const before = decision && decisionBefore(decision);
  const again = `Order ${orderRef} has this very decision already: nothing was uploaded again. ${before ?? ''}`;
  const made = () => ({ lines: [plain(again)], json: { orderRef, ...given, leftOut: [] } });
  const over = undecidable(details);
  if (over) {
    // The service may have closed the order because of this very decision.
    if ((await fate()) === 'recorded') return made();
    throw over;
  }
  const { value: offers, version } = await publishedOffers(buckets, orderRef);
  const differences = seen ? await differencesSince(buckets, orderRef, seen.offers, { offers, version }) : [];
  const overtaken = seen && overtakenBy(seen, details, differences, choices);
  if (overtaken) {
    if (await fate()) return answer(orderRef, given, offers, []);
    throw overtaken;
  }
  const problems = choiceProblems(choices, offers, decision);
  if (problems.length > 0)
    throw new Refusal(`Nothing was decided on order ${orderRef}. ${sentences(problems, choices, offers)}`);
  if (isMade(order, decision, choices) && (await isInIntake(buckets, orderRef, text))) return made();
  const left = leftOut(decision, choices);
  await putDecision(buckets, order, text);
  return answer(orderRef, given, offers, left, before);
}

/** Whether the order already has these choices, so nobody needs to decide again. */
function isMade(order: OrderItem, decision: Decision | undefined, choices: Choice[]): boolean {
  if (!decision || order.waitingFor === 'decision') return false;
  const kept = decision.choices.filter(({ choice }) => !choice.withdrawn);
  const listed = (one: readonly Choice[]) =>
    one
      .map(({ offerId, code }) => `${offerId} ${code}`)
      .sort()
      .join();
  return (
    kept.every(({ confirm: state }) => state !== 'none') && listed(choices) === listed(kept.map(({ choice }) => choice))
  );
}

function decisionBefore({ decided, choices }: Decision): string {
  const kept = choices.filter(({ choice }) => !choice.withdrawn);
  const states = kept.map((one) => `${one.choice.offerId} (${one.choice.code}): ${stateOf(one)}`);
  const how = decided && decidedSentence(decided);
  return [how, states.length > 0 && `${states.join(', ')}.`].filter(Boolean).join(' ');
}

/** How the offers differ from those of a version. If that version cannot be read, all offers count as new. */
async function differencesSince(
  buckets: Buckets,
  orderRef: string,
  seen: string,
  { offers, version }: { offers: Offer[]; version: string },
): Promise<OfferDifference[]> {
  if (seen === version) return [];
  const before = await findOffers(buckets, orderRef, seen).catch(ignoring(isAccessDenied));
  return differencesOf(offerViews(before?.value ?? []), offerViews(offers));
}

/** The decision that was made since the person looked, or the differences in the offers of this decision. */
function overtakenBy(
  seen: Seen,
  { order, decision }: OrderDetails,
  offers: OfferDifference[],
  wanted: Choice[],
): Overtaken | undefined {
  const { orderRef } = order;
  const changed = differenceSentences(offers);
  if (seen.decisions !== order.decision.version) {
    const choices = (decision?.choices ?? []).filter(({ choice }) => !choice.withdrawn).map(({ choice }) => choice);
    const how = decision?.decided ? ` ${decidedSentence(decision.decided)}` : '';
    const sentence = `${decidedMeanwhile(orderRef)}${how} It takes these offers: ${offersText(choices, 'none')}.`;
    const decided = { choices, decidedBy: decision?.decided?.written?.decidedBy };
    return new Overtaken(plain([sentence, changed, DECIDE_AGAIN].filter(Boolean).join(' ')), { decided, offers });
  }
  const sentence = `The offers of order ${orderRef} are not those that you saw: nothing was decided.`;
  // A bank may change a member at each read: that does not stop a decision on another offer.
  const matters = ({ offer, what }: OfferDifference) =>
    what === 'new' || wanted.some(({ offerId }) => offerId === offer.offerId);
  return offers.some(matters)
    ? new Overtaken(`${sentence} ${changed} Look at them, and decide again.`, { offers })
    : undefined;
}

/** @throws Refusal with the problems, if it is not a valid `decision.json`. */
export function checkedDecision(refusal: string, bytes: Uint8Array | undefined): GivenDecision {
  const parsed = parseDecision(bytes);
  if ('choices' in parsed) return parsed;
  const found = parsed.problems.map(({ path, problem, fix }) => `${path}: ${problem} ${fix}`).join(' ');
  throw new Refusal(plain(`${refusal} ${found}`));
}

/** Why the order accepts no decision; undefined if it does. */
export function undecidable({ order: { orderRef, status, dismissed } }: OrderDetails): Overtaken | undefined {
  const over = { status, isDismissed: dismissed !== undefined };
  if (dismissed) {
    return new Overtaken(
      `Order ${orderRef} was dismissed: nothing was decided. An operator brings it back with "loan-orders retry ${orderRef}".`,
      { over },
    );
  }
  if (status === 'OFFERS_AVAILABLE' || status === 'OFFERS_APPROVED') return undefined;
  return new Overtaken(
    isFinal(status)
      ? `Order ${orderRef} is ${status}, which is final: no further decision is possible.`
      : `Order ${orderRef} is ${status} and has no offers yet: nothing was decided. Repeat this when it is OFFERS_AVAILABLE.`,
    { over },
  );
}

/** The problems, each with the offer and code that the user typed instead of a path in a file, and the available alternatives. */
function sentences(problems: Problem[], choices: Choice[], offers: Offer[]): string {
  const takeable = takeableOffers(offers);
  const found = problems.map(({ path, problem, fix }) => {
    const choice = choices[Number(/\[(\d+)\]/.exec(path)?.[1])];
    const offer = takeable.find(({ offerId }) => offerId === choice?.offerId);
    const codes = path.endsWith('.code') && offer ? ` Its codes are ${codesOf(offer)}.` : '';
    const facts = offerFacts(offers, choice?.offerId);
    const bank = facts ? ` (${facts})` : '';
    const sentence = `Offer ${choice?.offerId}${bank}, code ${choice?.code}: ${problem} ${fix}${codes}`;
    return { sentence, isKnown: !!offer };
  });
  const others = found.some(({ isKnown }) => !isKnown) ? ` ${takeableSentence(takeable)}` : '';
  return plain(found.map(({ sentence }) => sentence).join(' ') + others);
}

function answer(
  orderRef: string,
  { choices, ...written }: GivenDecision,
  offers: Offer[],
  leftOutOffers: string[],
  before = '',
): CommandResult {
  return {
    lines: [
      choices.length > 0
        ? `Decided on order ${orderRef}: ${offersText(choices)}. Follow it with "loan-orders show ${orderRef}".`
        : `Decided on order ${orderRef}: no offer is taken. Polling continues until the service closes the order.`,
      ...choices.flatMap((choice) => termsLines(choice, takeableOffers(offers)).map((line) => `  ${line}`)),
      ...writtenLines(written),
      ...(leftOutOffers.length > 0 ? [`No longer chosen, and not yet confirmed: ${leftOutOffers.join(', ')}.`] : []),
      ...(before === '' ? [] : [plain(`The order had a decision before. ${before}`)]),
    ],
    json: { orderRef, choices, ...written, leftOut: leftOutOffers },
  };
}
