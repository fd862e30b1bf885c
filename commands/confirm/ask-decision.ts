import type { Decision } from '../../core/order/decision-states.ts';
import type { Offer } from '../../core/order-service/order-service-client.ts';
import type { Written } from '../../core/package/decision-schema.ts';
import type { Choice } from '../../core/package/kept-decision.ts';
import { writtenLines } from '../shared/decided.ts';
import { answered, canAsk, questions, requireYes } from '../shared/questions.ts';
import {
  leftOut,
  type TakeableOffer,
  takeableOffers,
  takeableSentence,
  termsLines,
} from '../shared/takeable-offers.ts';
import { plain, plainIndented, Refusal, truncate } from '../shared/text.ts';

export interface DecisionContext {
  orderRef: string;
  offers: Offer[];
  decision: Decision | undefined;
  /** Other members of the decision, beside its choices. */
  written: Written;
}

/** The value of the menu line that chooses no further offer. No offer has an empty `offerId`. */
const NO_MORE = '';

/** Longer lines are truncated to keep a list of a hundred offers readable. */
const LONGEST_LINE = 300;

/** @throws Refusal without a terminal, after Ctrl-C or Esc, or if the last answer is no. */
export async function askDecision({ orderRef, offers, decision, written }: DecisionContext): Promise<Choice[]> {
  const isConfirmed = ({ offerId }: TakeableOffer) =>
    decision?.choices.some(({ choice, confirm: state }) => state === 'done' && choice.offerId === offerId);
  const takeable = takeableOffers(offers).filter((offer) => !isConfirmed(offer));
  if (!canAsk()) {
    throw new Refusal(
      `There is no terminal for the questions: nothing was decided on order ${orderRef}. ` +
        `Give --offer <offerId> --code <code>, or --none. ${takeableSentence(takeable)}`,
    );
  }
  const nothing = `Nothing was decided on order ${orderRef}.`;
  const choices = await askChoices(takeable, nothing);
  const message = [
    `This is written to intake, as the decision on order ${orderRef}:`,
    ...choiceLines(choices, takeable, decision),
    ...writtenLines(written).map((line) => `  ${line}`),
    ...(choices.length > 0 ? ['The order then confirms it at the bank, which cannot be undone here.'] : []),
    'Write it?',
  ];
  await requireYes(message.join('\n'), nothing);
  return choices;
}

async function askChoices(takeable: TakeableOffer[], nothing: string): Promise<Choice[]> {
  const choices: Choice[] = [];
  for (let left = takeable; left.length > 0 || choices.length === 0; ) {
    const offers = left.map((offer) => ({ value: offer.offerId, label: lineOf(offer) }));
    const offerId = await (choices.length === 0
      ? ask('Which offer is taken?', [...offers, { value: NO_MORE, label: 'none: take no offer' }], nothing)
      : ask('Which offer is taken besides?', [{ value: NO_MORE, label: 'no further offer' }, ...offers], nothing));
    const offer = left.find((one) => one.offerId === offerId);
    if (!offer) break;
    choices.push({ offerId, code: await askCode(offer, nothing) });
    left = left.filter((one) => one !== offer);
  }
  return choices;
}

async function askCode({ offerId, options }: TakeableOffer, nothing: string): Promise<string> {
  const [only, ...others] = options;
  if (only && others.length === 0) return only.code;
  const lines = options.map((option) => ({ value: option.code, label: optionLine(option) }));
  return ask(`Which credit option of offer ${plain(offerId)}?`, lines, nothing);
}

async function ask(message: string, options: { value: string; label: string }[], nothing: string): Promise<string> {
  const { select } = await questions();
  return answered(select<string>({ message, options, output: process.stderr }), nothing);
}

function lineOf({ offerId, facts, options }: TakeableOffer): string {
  const parts = [facts, ...options.map(optionLine)].filter((part) => part !== '');
  return truncate(plain(`${offerId}: ${parts.join('; ')}`), LONGEST_LINE);
}

function optionLine({ code, facts }: TakeableOffer['options'][number]): string {
  return truncate(plain(facts === '' ? code : `${code}, ${facts}`), LONGEST_LINE);
}

/** The chosen offers with everything the bank says about them, and the offers that are no longer chosen. */
function choiceLines(choices: Choice[], offers: TakeableOffer[], decision: Decision | undefined): string[] {
  const taken = choices.flatMap((choice) => [
    plainIndented(`  take offer ${choice.offerId} with code ${choice.code}`),
    ...termsLines(choice, offers).map((line) => `    ${line}`),
  ]);
  const dropped = leftOut(decision, choices).map((offerId) => `  no longer take offer ${plain(offerId)}`);
  return [...(taken.length > 0 ? taken : ['  take no offer']), ...dropped];
}
