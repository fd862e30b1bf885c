import type { Dice } from './dice.ts';

/** Odd answers to each call: the service did its work, but its answer has a value that nobody expects. */
export const oddAnswerKinds = {
  read: [
    'a page of HTML',
    'an empty body',
    'null',
    'a status that is a number',
    'documents: [null]',
    'a fileId with a lone surrogate',
    'a fileId that is ..',
    'an offerId of 2,000 characters',
    'offers 10,000 levels deep',
    'a pollAfterSeconds that is no number',
  ],
  create: [
    'a page of HTML',
    'an empty body',
    'null',
    'no identifier',
    'an identifier with a lone surrogate',
    'an identifier of another order',
  ],
  'upload signature': ['a page of HTML', 'an empty body', 'null', 'no identifier', 'an identifier that is a number'],
  token: [
    'a page of HTML',
    'null',
    'expires_in: 1e308',
    'expires_in: null',
    'an expires_in that is no number',
    'an access_token that no header can carry',
  ],
} as const;

export type OddCall = keyof typeof oddAnswerKinds;
export type OddKind = (typeof oddAnswerKinds)[OddCall][number];

/** The answers to so many calls in a row are odd, from this call of the order on. Tokens are asked for at this read of the order. */
export interface OddAnswer {
  call: OddCall;
  kind: OddKind;
  occurrence: number;
  times: number;
}

/** After so many odd reads in a row an order goes on. One more ends it (`unusableReadsLimit`). */
export const MOST_ODD_READS = 4;

/** Some reads are odd so often in a row that the order fails. */
export function planOddAnswers(dice: Dice): OddAnswer[] {
  if (!dice.chance(0.2)) return [];
  const call = dice.weighted({ read: 60, create: 12, 'upload signature': 12, token: 16 });
  const kind = dice.pick<OddKind>(oddAnswerKinds[call]);
  const often = dice.chance(0.7) ? dice.between(1, MOST_ODD_READS) : dice.between(MOST_ODD_READS + 1, 7);
  return [{ call, kind, occurrence: call === 'read' ? dice.between(1, 5) : 1, times: call === 'read' ? often : 1 }];
}
