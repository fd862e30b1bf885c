import { createHash } from 'node:crypto';
import type { OrderPlan } from '../plan/order-plan.ts';

/** The rule of packages that choose by rule: the first two AVAILABLE offers, each with its first code. */
export const RULE = "(offers[status='AVAILABLE'])[[0..1]].{ 'offerId': offerId, 'code': creditOptions[0].code }";

/** The `order.json` of an order. Its order data contain the orderRef, by which we find the order at the service. */
export function orderPackage(
  { orderRef, scenario, documents, choose, signer }: OrderPlan,
  { amount = 5_000_000 } = {},
) {
  return {
    order: { reference: orderRef, ...(scenario && { scenario }), company: 'Simulated LLC', amount },
    documents: documents.map(({ name }, position) => ({
      file: `documents/${name}`,
      entityId: orderRef,
      sourceEntityId: `document-${position}`,
      docType: 'CHARTER',
    })),
    ...(signer === 'KMS' && { signing: 'kms' }),
    offers: choose === 'rule' ? { choose, rule: RULE } : { choose },
  };
}

/** The bytes of a document of the package, always the same. `file` is its path in the package. */
export function documentBytes({ orderRef, documents }: OrderPlan, file: string): Buffer {
  const size = documents.find(({ name }) => `documents/${name}` === file)?.size ?? 1;
  const block = createHash('sha256').update(`${orderRef}/${file}`).digest();
  return Buffer.alloc(size, block);
}
