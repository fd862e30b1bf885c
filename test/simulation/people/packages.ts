import { createHash } from 'node:crypto';
import type { OrderPlan } from '../plan/order-plan.ts';

/** The rule of packages that choose by one: the first two AVAILABLE offers, each by its first code. */
export const RULE = "(offers[status='AVAILABLE'])[[0..1]].{ 'offerId': offerId, 'code': creditOptions[0].code }";

/** The `order.json` of an order. Its order data carry our reference, by which the service's orders are told apart. */
export function orderPackage({ orderRef, scenario, documents, choose }: OrderPlan, { amount = 5_000_000 } = {}) {
  return {
    order: { reference: orderRef, ...(scenario && { scenario }), company: 'Simulated LLC', amount },
    documents: documents.map(({ name }, position) => ({
      file: `documents/${name}`,
      entityId: orderRef,
      sourceEntityId: `document-${position}`,
      docType: 'CHARTER',
    })),
    offers: choose === 'rule' ? { choose, rule: RULE } : { choose },
  };
}

/** The bytes of a document of the package, the same whenever they are asked for. `file` is its path in the package. */
export function documentBytes({ orderRef, documents }: OrderPlan, file: string): Buffer {
  const size = documents.find(({ name }) => `documents/${name}` === file)?.size ?? 1;
  const block = createHash('sha256').update(`${orderRef}/${file}`).digest();
  return Buffer.alloc(size, block);
}
