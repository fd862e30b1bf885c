import { type Finding, finding } from '../doctor/finding.ts';
import type { OrderDetails } from '../shared/order-details.ts';
import type { PlaceOptions } from '../shared/place.ts';
import { some } from '../shared/text.ts';
import { simulatorTable } from './credentials.ts';

/** The simulator's fields of an order that are compared. */
interface ServiceOrder {
  orderId: string;
  status: string;
  uploadedDocuments: unknown[];
  signatures: { kind: string }[];
  confirmations: { offerId: string }[];
}

/** Compares the record of each order with what the order service has: nothing was done twice, and nothing is missing. */
export async function serviceFindings(place: PlaceOptions, ours: OrderDetails[]): Promise<Finding[]> {
  const items = await (await simulatorTable(place)).queryItems<{ order: string }>('order');
  const theirs = items.map(({ order }) => JSON.parse(order) as ServiceOrder);
  const has = `It has ${some(theirs.length, 'order')} for ${some(ours.length, 'package')}.`;
  const count = finding('order service', theirs.length === ours.length, has);
  return [count, ...ours.map((details) => compared(details, theirs))];
}

function compared({ order, decision }: OrderDetails, theirs: ServiceOrder[]): Finding {
  const found = theirs.find(({ orderId }) => orderId === order.orderId);
  if (!found) return finding(order.orderRef, false, 'The order service does not have it.');
  const wanted = decision?.choices.map(({ choice }) => choice.offerId) ?? [];
  const confirmed = found.confirmations.map(({ offerId }) => offerId);
  const isSame = found.status === order.status && wanted.sort().join() === confirmed.sort().join();
  const valid = found.signatures.every(({ kind }) => kind === 'cms-valid');
  const parts = [
    some(found.uploadedDocuments.length, 'document'),
    some(found.signatures.length, 'signature'),
    `${some(confirmed.length, 'confirmed offer')} of ${wanted.length} decided`,
  ];
  const has = `The order service has it as ${found.status}, with ${parts.join(', ')}`;
  return finding(order.orderRef, isSame && valid, `${has}${valid ? '' : '; a signature is not valid'}.`);
}
