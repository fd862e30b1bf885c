import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import type { PackageOptions } from './packages.ts';
import type { World } from './world.ts';

export interface Choice {
  offerId: string;
  code: string;
}

export interface StagedChoice extends Choice {
  state: string;
}

export interface OrderWithOffers {
  order: SimulatedOrder;
  /** Its AVAILABLE offers, each with all its codes. */
  offers: { offerId: string; codes: string[] }[];
  /** One choice for each of these offers, with the first code. */
  choices: Choice[];
}

export async function untilOffers(
  world: World,
  orderRef: string,
  rule = {},
  options: PackageOptions = {},
): Promise<OrderWithOffers> {
  await world.submit(orderRef, { ...options, offers: { choose: 'manual', ...rule } });
  const { orderId = '' } = await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision');
  const order = world.simulator.order(orderId);
  if (!order) throw new Error(`The service has no order ${orderId}.`);
  const available = order.offers.filter(({ status }) => status === 'AVAILABLE');
  const offers = available.map(({ offerId, creditOptions }) => ({
    offerId,
    codes: creditOptions.map(({ code }) => code),
  }));
  return { order, offers, choices: choicesOf(order) };
}

export async function changeRate(
  world: World,
  orderRef: string,
  { offers }: SimulatedOrder,
  rate: number,
): Promise<void> {
  const [offer] = offers;
  // Options are those of the settings, which all orders share.
  if (offer) offer.creditOptions = offer.creditOptions.map((option, at) => (at === 0 ? { ...option, rate } : option));
  const before = (await world.record(orderRef))?.snapshotSha256;
  await world.until(
    orderRef,
    ({ snapshotSha256, waitingFor }) => waitingFor === 'decision' && snapshotSha256 !== before,
  );
}

/** A choice for each AVAILABLE offer of an order at the service, with its first code. */
export function choicesOf({ offers }: SimulatedOrder): Choice[] {
  const available = offers.filter(({ status }) => status === 'AVAILABLE');
  return available.map(({ offerId, creditOptions: [first] }) => ({ offerId, code: first?.code ?? '' }));
}

export function decide(world: World, orderRef: string, choices: unknown[]): Promise<void> {
  return world.put(orderRef, 'decision.json', { choices });
}

export async function stagedChoices(world: World, orderRef: string): Promise<StagedChoice[]> {
  const page = await world.stagedJson<{ choices: StagedChoice[] } | null>(orderRef, 'choices.json');
  return page?.choices ?? [];
}

export async function choiceStates(world: World, orderRef: string): Promise<string[]> {
  return (await stagedChoices(world, orderRef)).map(({ state }) => state);
}

export function closeAtNextRead(world: World, order: SimulatedOrder): void {
  order.progress = { ...order.progress, due: { status: 'CLOSED', at: world.clock.now() } };
}
