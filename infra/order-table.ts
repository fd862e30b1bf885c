import { BY_UNSENT } from '../core/events/outbox.ts';
import { BY_LIST, BY_WAITING, LIST_FACTS, WAITING_FACTS } from '../core/order/order-item.ts';

/** An index of the items that have both attributes. Besides the keys, it contains only `facts`. */
export interface OrderIndex {
  name: string;
  partition: string;
  sort: string;
  facts: string[];
}

/** The table of orders, as a stack creates it or requires it. `item` is the sort key of every table of records. */
export const ORDER_KEY = { partition: 'orderRef', sort: 'item' };
export const ORDER_INDEXES: OrderIndex[] = [
  // Only for the release before, and for `relist`. The next release removes it: CloudFormation adds or removes one index in an update.
  {
    name: 'byStatus',
    partition: 'status',
    sort: 'changedAt',
    facts: ['waitingFor', 'orderId', 'generation', 'failure'],
  },
  { name: BY_WAITING, partition: 'openFor', sort: 'changedAt', facts: [...WAITING_FACTS] },
  { name: BY_UNSENT, partition: 'unsent', sort: 'unsentSince', facts: [] },
  { name: BY_LIST, partition: 'listedUnder', sort: 'changedAt', facts: [...LIST_FACTS] },
];
