import type { OrderPlan } from './order-plan.ts';

/** An order without anything unusual, except for what is given. */
export function plainPlan(orderRef: string, given: Partial<OrderPlan> = {}): OrderPlan {
  const documents = ['charter.pdf', 'balance.pdf'].map((name) => ({ name, size: 100 }));
  const files = ['order.json', ...documents.map(({ name }) => `documents/${name}`)];
  return {
    orderRef,
    scenario: undefined,
    documents,
    uploads: files.map((file) => ({ file, delay: 0 })),
    broken: undefined,
    secondVersionAfter: undefined,
    choose: 'rule',
    signer: 'partner',
    signing: { delay: 0, early: false, replacedAfter: undefined },
    decision: { delay: 0, early: false, nonsenseFirst: false, choices: 1 },
    serviceFaults: [],
    replacedDocumentAfter: undefined,
    goesBack: undefined,
    withdrawnOffer: undefined,
    oddAnswers: [],
    awsFaults: [],
    deliveries: [],
    abort: undefined,
    otherCodesAfter: undefined,
    operatorAway: false,
    interruptions: [],
    takesRepeatedConfirms: false,
    polls: [],
    handOverAfter: undefined,
    lostEvent: undefined,
    closedAfter: undefined,
    furtherDecisions: [],
    badDay: undefined,
    restored: undefined,
    ...given,
  };
}
