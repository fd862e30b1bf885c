import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from 'vitest';
import type { KeptChoice } from '../../../core/order/choices.ts';
import type { Change } from '../../../packages/embedded-aws/index.ts';
import type { SimulatedOrder } from '../../../packages/order-simulator/index.ts';
import { currentSince, Witness } from '../../simulation/checks/witness.ts';

const orderRef = 'order-1';
const first = { offerId: 'first', code: 'A' };
const other = { offerId: 'first', code: 'B' };

function witnessed() {
  const witness = new Witness();
  let runs = 0;
  const store = (values: object) =>
    witness.onChange({
      type: 'item',
      table: 'orders',
      item: marshall(values) as unknown as Extract<Change, { item: unknown }>['item'],
    });
  return {
    witness,
    decide: (version: number, ...choices: KeptChoice[]) =>
      store({ orderRef, item: 'order', decision: { version, none: false, choices } }),
    intend: ({ offerId, code }: KeptChoice, state = 'open') => {
      runs += 1;
      store({ orderRef, item: `operation#confirm#${offerId}`, state, run: `run-${runs}`, intent: { offerId, code } });
    },
    withdrawIntent: ({ offerId }: KeptChoice) =>
      store({
        orderRef,
        item: `operation#confirm#${offerId}`,
        state: 'none',
        run: `run-${runs}`,
        failure: 'NotSent',
      }),
    toSign: (...fileIds: string[]) => store({ orderRef, item: 'order', signaturesRound: { number: 1, fileIds } }),
  };
}

describe('the intent to confirm', () => {
  test('matches the decision that the record has at that moment', () => {
    const { witness, decide, intend } = witnessed();
    decide(1, first);
    intend(first);
    // A confirm that has begun is finished even if the decision changes.
    decide(2, other);
    intend(first);
    expect(witness.problems(orderRef)).toEqual([]);
  });

  test('is a problem with the code of an earlier decision', () => {
    const { witness, decide, intend } = witnessed();
    decide(1, first);
    decide(2, other);
    intend(first);
    expect(witness.problems(orderRef)).toEqual([
      'the intent to confirm first with A was written while the decision said B',
    ]);
  });

  test('is no problem if it is withdrawn before anything is sent', () => {
    const { witness, decide, intend, withdrawIntent } = witnessed();
    decide(1, other);
    intend(first);
    withdrawIntent(first);
    intend(other);
    expect(witness.problems(orderRef)).toEqual([]);
  });

  test('is a problem for a withdrawn choice and for a choice that nobody made', () => {
    const { witness, decide, intend } = witnessed();
    decide(1, { ...first, withdrawn: true });
    intend(first);
    intend({ offerId: 'second', code: 'C' });
    expect(witness.problems(orderRef)).toEqual([
      'the intent to confirm first with A was written while the decision said withdrawn',
      'the intent to confirm second with C was written while the decision said nothing',
    ]);
  });
});

test('the witness reports a decision that replaces a newer one', () => {
  const { witness, decide } = witnessed();
  witness.decided(orderRef, [first]);
  decide(1, first);
  witness.decided(orderRef, [other]);
  decide(2, other);
  expect(witness.problems(orderRef)).toEqual([]);
  decide(3, first);
  expect(witness.problems(orderRef)).toEqual(['an older decision has replaced a newer one']);
});

describe('the witness of a sent signature', () => {
  const versions = new Map([
    [
      'file-1',
      [
        { sha256: 'old', at: 1_000 },
        { sha256: 'new', at: 5_000 },
      ],
    ],
  ]);
  const order = { signatures: [{ fileId: 'file-1', file: { sha256: 'old' } }] } as SimulatedOrder;

  test.each([
    [4_000, []],
    [6_000, ['the signature of file-1 was replaced before it was sent, but the service has the old one']],
  ])('reports these problems for a step that began at %i: %j', (begun, problems) => {
    const { witness, toSign } = witnessed();
    toSign('file-1');
    witness.signatureSent(order, { orderRef, position: 0 }, versions, begun);
    expect(witness.problems(orderRef)).toEqual(problems);
  });

  test('knows the versions that were current since a time', () => {
    expect(currentSince(versions.get('file-1') ?? [], 0)).toEqual(['old', 'new']);
    expect(currentSince(versions.get('file-1') ?? [], 5_001)).toEqual(['new']);
  });
});
