import type { PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import { PAUSE_KEY } from '../../core/order/stage-pause.ts';

const ATTRIBUTES = {
  key: ['orderRef', 'item'],
  timeline: ['at', 'what', 'by', 'reason', 'failure before', 'generation', 'orderId'],
  /** The ledger's entry of the creation. */
  resolve: ['state', 'attempts', 'endedAt', 'resolvedAt', 'outcome', 'failure', 'refusals', 'since'],
  /** Includes `retry` after a dismissal. */
  dismiss: ['dismissed', 'changedAt', 'execution', 'waitingFor', 'openFor', 'resume', 'awaited', 'removal'],
  outbox: ['eventCount', 'outboxCount', 'unpublished', 'unsentEvents', 'unsent', 'unsentSince'],
  migrate: ['moveTo'],
};

/**
 * The attributes of an order's record that operators' commands change or compare in a write. IAM treats both alike, and cannot distinguish
 * the items of a record, so the list holds for every item. None belongs to a decision, a document or a callback.
 * `test/e2e/operator-rights.test.ts` compares the list with what the commands send.
 */
export const OPERATOR_ATTRIBUTES = Object.values(ATTRIBUTES).flat();

/**
 * What operators may do with the table of orders. They read every item, so what a write returns needs no limit. PutItem and DeleteItem
 * replace whole items, whatever attributes a condition names: they hold only for items that belong to no order.
 */
export function operatorsRecord(orders: string): PolicyStatementProps[] {
  const on = (actions: string[], operator: string, key: string, values: string[]): PolicyStatementProps => ({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [orders],
    conditions: { [operator]: { [`dynamodb:${key}`]: values } },
  });
  return [
    { actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'], resources: [orders] },
    on(['UpdateItem'], 'ForAllValues:StringEquals', 'Attributes', OPERATOR_ATTRIBUTES),
    // `pause` and `resume`.
    on(['PutItem', 'UpdateItem'], 'ForAllValues:StringEquals', 'LeadingKeys', [PAUSE_KEY.orderRef]),
    // `resolve` records which order has an orderId.
    on(['PutItem', 'DeleteItem'], 'ForAllValues:StringLike', 'LeadingKeys', ['#orderId/*']),
  ];
}
