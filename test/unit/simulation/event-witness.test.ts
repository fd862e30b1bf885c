import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from 'vitest';
import { eventProblems } from '../../simulation/checks/event-checks.ts';
import { EventWitness } from '../../simulation/checks/event-witness.ts';

const orderRef = 'order-1';

function witnessed() {
  const witness = new EventWitness();
  const store = (values: object) =>
    witness.onChange({
      type: 'item',
      table: 'orders',
      item: marshall(values, { removeUndefinedValues: true }) as never,
    });
  const put = (type: string, detail: Record<string, string | number | undefined>) =>
    witness.onChange({
      type: 'event',
      bus: 'loan-orders-local',
      event: { source: 'loan-orders', 'detail-type': type, detail: { orderRef, ...detail } as never },
    });
  return {
    witness,
    record: (eventCount: number, values: object) =>
      store({ orderRef, item: 'order', generation: 1, eventCount, ...values }),
    reject: (versionId: string) =>
      store({ orderRef: '#rejected', item: `line#orders/${orderRef}/order.json`, versionId }),
    tell: (sequence: number, type: string, facts: Record<string, string | number> = {}) =>
      put(type, { id: `${orderRef}/${sequence}`, at: 'then', sequence, ...facts }),
    tellRejected: (id: string, versionId: string, at = 'then') => put('Upload Rejected', { id, at, versionId }),
    problems: () => witness.problems(orderRef),
  };
}

const RECEIVED = { status: 'RECEIVED' };
const IN_WORK = { status: 'IN_WORK', previousStatus: 'RECEIVED' };
const CHANGED = 'Order Status Changed';

describe('the events of an order', () => {
  test('follow from the changes of its record, and may come again and late', () => {
    const { record, tell, problems } = witnessed();
    record(1, RECEIVED);
    record(2, { status: 'OFFERS_AVAILABLE' });
    tell(2, CHANGED, { status: 'OFFERS_AVAILABLE', previousStatus: 'RECEIVED' });
    tell(1, CHANGED, RECEIVED);
    tell(1, CHANGED, RECEIVED);
    record(3, { status: 'OFFERS_AVAILABLE', awaited: { what: 'decision', round: 1 } });
    tell(3, 'Decision Requested', { page: 'orders/order-1/offers.json' });
    record(4, { status: 'OFFERS_AVAILABLE', failure: { error: 'DecisionOverdue' } });
    tell(4, 'Order Failed', { generation: 1 });
    record(5, { status: 'OFFERS_AVAILABLE', generation: 2 });
    tell(5, 'Order Resumed', { generation: 2 });
    record(7, { status: 'CLOSED', generation: 2 });
    tell(6, CHANGED, { status: 'CLOSED', previousStatus: 'OFFERS_AVAILABLE' });
    tell(7, 'Order Ended', { end: 'CLOSED' });
    expect(problems()).toEqual([]);
  });

  test('are a problem if one is lost', () => {
    const { record, tell, problems } = witnessed();
    record(1, RECEIVED);
    record(2, { status: 'IN_WORK' });
    tell(1, CHANGED, RECEIVED);
    expect(problems()).toEqual([`others were told "nothing" instead of "2 ${CHANGED} IN_WORK RECEIVED"`]);
  });

  test('are a problem if one change is told twice', () => {
    const { record, tell, problems } = witnessed();
    record(2, RECEIVED);
    tell(1, CHANGED, RECEIVED);
    tell(2, CHANGED, RECEIVED);
    expect(problems()).toEqual([
      'its record counts 2 events after 1 changes',
      'order-1/2 was told before it was recorded',
      `others were told "2 ${CHANGED} RECEIVED" instead of "nothing"`,
    ]);
  });

  test('are a problem if one is told before it is recorded, or again with another detail', () => {
    const { record, tell, problems } = witnessed();
    record(1, RECEIVED);
    tell(1, CHANGED, RECEIVED);
    tell(2, CHANGED, IN_WORK);
    record(2, { status: 'IN_WORK' });
    tell(2, CHANGED, { ...IN_WORK, at: 'later' });
    expect(problems()).toEqual([
      'order-1/2 was told before it was recorded',
      'order-1/2 was told twice, and differently',
    ]);
  });
});

describe('a rejected upload', () => {
  test('is told of with one id, perhaps again at a later time', () => {
    const { tellRejected, reject, problems } = witnessed();
    tellRejected('first', 'version-1');
    reject('version-1');
    tellRejected('first', 'version-1', 'later');
    expect(problems()).toEqual([]);
  });

  test('is a problem if nobody is told of it, or under two ids', () => {
    const { tellRejected, reject, problems } = witnessed();
    reject('version-1');
    tellRejected('first', 'version-2');
    tellRejected('second', 'version-2');
    expect(problems()).toEqual([
      'nobody was told that version-1 was rejected',
      'a rejected upload was told of under two ids',
    ]);
  });
});

describe('at the end', () => {
  const end = { type: 'Order Ended', detail: { id: `${orderRef}/1`, sequence: 1, end: 'CLOSED' } };
  const order = { orderRef, item: 'order', status: 'CLOSED', waitingFor: 'nobody', eventCount: 1 };

  test('an order that is over, and one that was rejected before it was recorded, have no problem', () => {
    expect(eventProblems([order], [end])).toEqual([]);
    expect(eventProblems([], [])).toEqual([]);
  });

  test('an event that is still in the outbox, and one that is neither there nor was told, are problems', () => {
    const unsentEvents = [{ type: CHANGED, detail: { id: `${orderRef}/2`, at: 'then', sequence: 2 } }];
    expect(eventProblems([{ ...order, eventCount: 3, unsentEvents }], [end])).toEqual([
      'its event 3 of 3 was lost',
      'its events 2 were never sent',
    ]);
  });

  test('an end that nobody was told of is a problem, and so is a status that the timeline does not show', () => {
    const detail = { id: `${orderRef}/1`, sequence: 1, status: 'CLOSED', previousStatus: 'IN_WORK' };
    expect(eventProblems([order], [{ type: CHANGED, detail }])).toEqual([
      'its end was told 0 times; it waits for nobody',
      'others were told CLOSED, but its timeline shows ',
    ]);
  });

  test('the events of an order without a record are a problem', () => {
    expect(eventProblems([], [end])).toEqual(['others were told of it 1 times, but it has no record']);
  });
});
