import type { Problem } from '../json/json-problems.ts';
import type { Decision } from '../order/decision-states.ts';
import type { Offer } from '../order-service/order-service-client.ts';
import type { Choice } from '../package/kept-decision.ts';

/** The specification, 2.2. Malformed elements of the list are ignored. */
export function isAvailable(offers: readonly Offer[], offerId: string): boolean {
  return hasStatus(offers, offerId, 'AVAILABLE');
}

/** Whether the offer has this status. If it is listed several times, each must have it. */
export function hasStatus(offers: readonly Offer[], offerId: string, wanted: string): boolean {
  const named = offersNamed(offers, offerId);
  return named.length > 0 && named.every(({ status }) => status === wanted);
}

export function isListed(offers: readonly Offer[], offerId: string): boolean {
  return offersNamed(offers, offerId).length > 0;
}

function hasCode(offers: readonly Offer[], { offerId, code }: Choice): boolean {
  const options: unknown[] = offersNamed(offers, offerId).flatMap(({ creditOptions }) => creditOptions ?? []);
  return options.some((option) => (option as { code?: unknown } | null)?.code === code);
}

/** The elements with this `offerId`. The service may list elements that are not objects. */
function offersNamed(offers: readonly (Offer | null)[], offerId: string): Offer[] {
  return offers.filter((offer): offer is Offer => offer?.offerId === offerId);
}

/** Why choices cannot be confirmed. Empty if all can be confirmed or are confirmed already. */
export function choiceProblems(choices: Choice[], offers: Offer[], decision?: Decision): Problem[] {
  return choices.flatMap((choice, position) => {
    const isRepeated = choices.findIndex(({ offerId }) => offerId === choice.offerId) < position;
    const problem = isRepeated ? REPEATED : problemOf(choice, offers, decision);
    if (!problem) return [];
    const { member, ...words } = problem;
    return [{ path: `$.choices[${position}].${member}`, ...words }];
  });
}

const REPEATED = { member: 'offerId', problem: 'This offer is chosen twice.', fix: 'Remove one of the two.' };

function problemOf(wanted: Choice, offers: Offer[], decision: Decision | undefined) {
  const { offerId } = wanted;
  const done = decision?.choices.find(({ choice, confirm }) => confirm === 'done' && choice.offerId === offerId);
  if (done) {
    // A confirmed offer keeps its credit option, whatever is decided later.
    const { code } = done.choice;
    const problem = `This offer is confirmed already, with the code ${code}.`;
    return code === wanted.code
      ? undefined
      : { member: 'code', problem, fix: 'Choose this code, or leave the offer out.' };
  }
  const fix = 'Choose an AVAILABLE offer from offers.json in staging.';
  if (!isListed(offers, offerId)) return { member: 'offerId', problem: 'The order does not have this offer.', fix };
  if (!isAvailable(offers, offerId)) return { member: 'offerId', problem: 'This offer is not AVAILABLE.', fix };
  if (hasCode(offers, wanted)) return undefined;
  const fromOptions = "Choose a code from the offer's creditOptions in offers.json in staging.";
  return { member: 'code', problem: 'The offer does not have this credit option.', fix: fromOptions };
}
