import type { Dice } from './dice.ts';
import type { GoesBack, OrderPlan } from './order-plan.ts';

/** The first download stages a document. The next one compares it, just before its signature is sent. */
function planReplacedDocument(dice: Dice): number | undefined {
  return dice.chance(0.06) ? dice.between(1, 3) : undefined;
}

/** Where the service may go back from, and what it may ask for again. */
const waysBack: readonly Omit<GoesBack, 'after'>[] = [
  { from: 'WAITING_FOR_DOCUMENTS', outcomes: ['WAITING_FOR_DOCUMENTS'] },
  { from: 'WAITING_FOR_SIGNATURE', outcomes: ['WAITING_FOR_SIGNATURE'] },
  { from: 'WAITING_FOR_SIGNATURE', outcomes: ['WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE'] },
  { from: 'OFFERS_AVAILABLE', outcomes: ['OFFERS_AVAILABLE'] },
  { from: 'OFFERS_AVAILABLE', outcomes: ['WAITING_FOR_SIGNATURE', 'OFFERS_AVAILABLE'] },
  { from: 'OFFERS_AVAILABLE', outcomes: ['WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE', 'OFFERS_AVAILABLE'] },
];

/** What the service changes although we did nothing. */
export function planChanges(dice: Dice): Pick<OrderPlan, 'replacedDocumentAfter' | 'goesBack' | 'withdrawnOffer'> {
  const goesBack = { ...dice.pick(waysBack), after: dice.chance(0.5) ? 0 : dice.between(1, 90) };
  const withdrawnOffer = { at: dice.pick(['read', 'confirm'] as const), isRemoved: dice.chance(0.5) };
  return {
    replacedDocumentAfter: planReplacedDocument(dice),
    goesBack: dice.chance(0.08) ? goesBack : undefined,
    withdrawnOffer: dice.chance(0.08) ? withdrawnOffer : undefined,
  };
}
