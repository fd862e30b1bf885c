import type { SimulatedOrder } from '../../../packages/order-simulator/index.ts';
import { checkOrder } from '../../simulation/checks/checks.ts';
import type { Evidence } from '../../simulation/checks/evidence.ts';
import { finishedOrder } from './evidence.ts';

export const violations = (evidence: Evidence) => checkOrder(evidence).violations.map(({ what }) => what);

export function change({ items }: Evidence, name: string, changes: object): void {
  const found = items.find(({ item }) => item.startsWith(name));
  if (!found) throw new Error(`There is no item ${name}.`);
  Object.assign(found, changes);
}

export function forget(evidence: Evidence, name: string): void {
  evidence.items = evidence.items.filter(({ item }) => !item.startsWith(name));
}

/** The first element of a list. Throws if the list is empty. */
export function first<Item>([one]: readonly Item[]): Item {
  if (one === undefined) throw new Error('The list is empty.');
  return one;
}

export type Spoil = (evidence: Evidence, order: SimulatedOrder) => void;

/** Every violation after `spoil` has changed the evidence of a good order, with `<id>` instead of identifiers. */
export async function foundWhen(spoil: Spoil): Promise<string[]> {
  const { evidence, order } = await finishedOrder();
  spoil(evidence, order);
  const identifiers = [...order.offers.map(({ offerId }) => offerId), ...evidence.acts.signatures.keys()];
  const codes = order.confirmations.map(({ code }) => code);
  return violations(evidence).map((text) => {
    const named = identifiers.reduce((plain, identifier) => plain.replace(identifier, '<id>'), text);
    return codes.reduce((plain, code) => plain.replace(`with ${code},`, 'with <code>,'), named);
  });
}
