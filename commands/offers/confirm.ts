import type { Problem } from '../../core/json/json-problems.ts';
import { DECISION_LIMIT } from '../../core/offers/decision-limit.ts';
import { type GivenDecision, parseDecision } from '../../core/offers/decision-schema.ts';
import { type Choice, choiceProblems, type Decision } from '../../core/order/choices.ts';
import { isFinal } from '../../core/order/order-item.ts';
import type { Offer } from '../../core/order-service/order-service-client.ts';
import { readLocalFile } from '../local-file.ts';
import { type Answer, Refusal } from '../refusal.ts';
import { type Buckets, openBuckets } from '../stage/buckets.ts';
import { connect } from '../stage/connection.ts';
import type { PlaceOptions } from '../stage/place.ts';
import type { OrderDetails, OrderRecord } from '../stage/record.ts';
import { plain } from '../text.ts';
import { decidedSentence } from './decided.ts';
import { stagedOffers } from './offers.ts';
import { DECIDE_AGAIN, decidedMeanwhile, isInIntake, putDecision } from './put-decision.ts';
import { codesOf, leftOut, takeableOffers, takeableSentence } from './takeable-offers.ts';

/** The decision on the command line: a list of choices (empty with `--none`), a file that holds one, or to be asked for. */
export type Wish = { choices: Choice[] } | { file: string } | 'ask';

/** `confirm <orderRef>`: checks a decision against the staged offers, then uploads it to intake as `decision.json`. */
export async function confirm(place: PlaceOptions, orderRef: string, wish: Wish): Promise<Answer> {
  const given = await givenDecision(wish);
  const { record, decidedBy: caller } = await connect(place);
  const buckets = await openBuckets(place);
  const decidedBy = given?.decidedBy ?? (await caller());
  if (given) return decide(record, buckets, orderRef, { choices: given.choices, decidedBy });
  const seen = await undecided(record, buckets, orderRef);
  const choices = await (await import('./ask-decision.ts')).askDecision({ orderRef, ...seen, decidedBy });
  return decide(record, buckets, orderRef, { choices, decidedBy }, seen.order.decision.version);
}

/**
 * Checks a decision against the staged offers as they are now, then uploads it to intake as `decision.json`. Between the questions and
 * this, the offers may have changed.
 * @param seen how many decisions the person has seen; by default those that there are now.
 * @throws Refusal when the order or its offers do not allow the decision, or somebody else has decided since.
 */
export async function decide(
  record: Pick<OrderRecord, 'details'>,
  buckets: Buckets,
  orderRef: string,
  { choices, decidedBy }: GivenDecision,
  seen?: number,
): Promise<Answer> {
  const { order, decision, offers } = await undecided(record, buckets, orderRef);
  const text = `${JSON.stringify({ choices, decidedBy }, undefined, 2)}\n`;
  if (seen !== undefined && seen !== order.decision.version) {
    // The same decision again: the answer to the first attempt was lost.
    if (await isInIntake(buckets, orderRef, text)) return answer(orderRef, { choices, decidedBy }, []);
    throw new Refusal(overtaken(orderRef, decision));
  }
  const problems = choiceProblems(choices, offers, decision);
  if (problems.length > 0)
    throw new Refusal(`Nothing was decided on order ${orderRef}. ${sentences(problems, choices, offers)}`);
  const left = leftOut(decision, choices);
  await putDecision(buckets, order, text);
  const replaced = left.length > 0 && decision?.decided ? decidedSentence(decision.decided) : undefined;
  return answer(orderRef, { choices, decidedBy }, left, replaced);
}

/** What was decided since the person looked. */
function overtaken(orderRef: string, decision: Decision | undefined): string {
  const taken = (decision?.choices ?? []).filter(({ choice }) => !choice.withdrawn).map(({ choice }) => choice);
  const offers = taken.map(({ offerId, code }) => `${offerId} (${code})`).join(', ') || 'none';
  const how = decision?.decided ? ` ${decidedSentence(decision.decided)}` : '';
  return plain(`${decidedMeanwhile(orderRef)}${how} It takes these offers: ${offers}. ${DECIDE_AGAIN}`);
}

async function undecided(record: Pick<OrderRecord, 'details'>, buckets: Buckets, orderRef: string) {
  const details = await record.details(orderRef);
  refuseUndecidable(details);
  return { order: details.order, decision: details.decision, offers: await stagedOffers(buckets, orderRef) };
}

async function givenDecision(wish: Wish): Promise<GivenDecision | undefined> {
  if (wish === 'ask') return undefined;
  return 'file' in wish ? readDecision(wish.file) : wish;
}

async function readDecision(path: string): Promise<GivenDecision> {
  const bytes = await readLocalFile(path);
  const parsed = parseDecision(bytes.length > DECISION_LIMIT ? undefined : bytes);
  if ('choices' in parsed) return parsed;
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

/** The problems, each with the offer and code that the user typed instead of its path in a file, and what can be taken instead. */
function sentences(problems: Problem[], choices: Choice[], offers: Offer[]): string {
  const known = takeableOffers(offers);
  const found = problems.map(({ path, problem, mend }) => {
    const choice = choices[Number(/\[(\d+)\]/.exec(path)?.[1])];
    const offer = known.find(({ offerId }) => offerId === choice?.offerId);
    const codes = path.endsWith('.code') && offer ? ` Its codes are ${codesOf(offer)}.` : '';
    return { sentence: `Offer ${choice?.offerId}, code ${choice?.code}: ${problem} ${mend}${codes}`, isKnown: !!offer };
  });
  const others = found.some(({ isKnown }) => !isKnown) ? ` ${takeableSentence(known)}` : '';
  return plain(found.map(({ sentence }) => sentence).join(' ') + others);
}

function answer(
  orderRef: string,
  { choices, decidedBy }: GivenDecision,
  leftOutOffers: string[],
  replaced?: string,
): Answer {
  const taken = choices.map(({ offerId, code }) => `${offerId} (${code})`).join(', ');
  return {
    lines: [
      choices.length > 0
        ? `Decided on order ${orderRef}: ${taken}. Follow it with "loan-orders show ${orderRef}".`
        : `Decided on order ${orderRef}: no offer is taken. Polling continues until the service closes the order.`,
      ...(decidedBy === undefined ? [] : [plain(`The decision says who decided: ${decidedBy}.`)]),
      ...(leftOutOffers.length > 0 ? [`No longer chosen, and not yet confirmed: ${leftOutOffers.join(', ')}.`] : []),
      ...(replaced === undefined ? [] : [`That was the decision before. ${replaced}`]),
    ],
    json: { orderRef, choices, decidedBy, leftOut: leftOutOffers },
  };
}
