import type { PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import { PAUSE_KEY } from '../../core/order/stage-pause.ts';

const STAGE = PAUSE_KEY.orderRef;
const ATTRIBUTES = {
  key: ['orderRef', 'item'],
  timeline: ['at', 'what', 'by', 'reason', 'failure before', 'generation', 'created as', 'offer', 'upload'],
  resolve: ['said'],
  retry: ['notBefore', 'pollAfterSeconds', 'whilePaused'],
  /** Includes `retry` after a dismissal. */
  dismiss: ['dismissed', 'failure', 'waitingFor'],
  migrate: ['moveTo'],
  relist: ['listedUnder'],
};

/**
 * The attributes of an order's record that operators' commands change or compare in a write. IAM treats both alike, and cannot distinguish
 * the items of a record, so the list holds for every item. None belongs to a decision, a document or a callback.
 * `test/e2e/operator-rights.test.ts` compares the list with what the commands send.
 */
export const OPERATOR_ATTRIBUTES = Object.values(ATTRIBUTES).flat();

/** Only for the pause and its timeline: the item beside them says that a restored table may be used. */
const PAUSE_ATTRIBUTES = [...OPERATOR_ATTRIBUTES, 'since', 'resumedAt', 'resumedBy', 'goOnSeconds', 'orders'];

/**
 * Operators' rights to the table of orders. They read every item, so the values that a write returns need no limit. PutItem and DeleteItem
 * replace whole items, whatever attributes a condition names: operators put only the pause, and delete nothing.
 */
export function operatorsRecord(orders: string): PolicyStatementProps[] {
  const on = (actions: string[], keys: Record<string, string[]>): PolicyStatementProps => ({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [orders],
    conditions: { 'ForAllValues:StringEquals': keys },
  });
  return [
    { actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'], resources: [orders] },
    on(['UpdateItem'], { 'dynamodb:Attributes': OPERATOR_ATTRIBUTES }),
    on(['PutItem', 'UpdateItem'], { 'dynamodb:LeadingKeys': [STAGE], 'dynamodb:Attributes': PAUSE_ATTRIBUTES }),
  ];
}
