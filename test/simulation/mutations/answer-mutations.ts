import type { OddAnswer, OddKind } from '../plan/odd-answers.ts';
import { plainPlan } from '../plan/plain-plan.ts';
import type { Mutation } from './mutation.ts';

const oddAnswer = (orderRef: string, call: OddAnswer['call'], kind: OddKind, times = 1) =>
  plainPlan(orderRef, { oddAnswers: [{ call, kind, occurrence: 2, times }] });

export const answerMutations: readonly Mutation[] = [
  {
    name: 'the first read whose answer cannot be used ends the order',
    changes: [
      {
        file: 'functions/read-order/wait-instead.ts',
        text: 'if (unusable >= readSettings.unusableReadsLimit) throw error;',
        instead: 'if (unusable >= 1) throw error;',
      },
    ],
    plans: () => [
      oddAnswer('html-reads', 'read', 'a page of HTML', 3),
      oddAnswer('null-documents', 'read', 'documents: [null]', 3),
    ],
  },
  {
    name: 'an identifier that is a number loses digits',
    profile: 'other',
    changes: [
      {
        file: 'core/order-service/order-answer.ts',
        text: "const value = typeof body[name] === 'number' ? topLevelMember(text, name) : body[name];",
        instead: "const value = typeof body[name] === 'number' ? String(body[name]) : body[name];",
      },
    ],
    plans: () => [plainPlan('numbers')],
  },
];
