import type { InvokeWrapper, RequestWrapper } from '@business-loan-orders/embedded-aws';
import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import { afterEach, expect, test } from 'vitest';
import { decide, OFFERS_AT_ONCE, untilOffers } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import type { World } from '../../helpers/world.ts';

/** Decisions arrive at almost the same moment as another decision, a confirm or the end of the order. */
let requested: RequestWrapper | undefined;
let invoked: InvokeWrapper | undefined;
const world: World = await openWorld({
  settings: { ...OFFERS_AT_ONCE, pollAfterSeconds: 10, bankSeconds: 60 },
  requestWrapper: async (request, serve) => requested?.(request, serve),
  invokeWrapper: (functionName, event, invoke) => (invoked ? invoked(functionName, event, invoke) : invoke()),
});

afterEach(() => {
  requested = undefined;
  invoked = undefined;
});

const confirmed = ({ confirmations }: SimulatedOrder) => confirmations.map(({ offerId, code }) => ({ offerId, code }));

/** Holds the first matching request until `until` has resolved. */
function holdFirst(matches: (request: Parameters<RequestWrapper>[0]) => boolean, until: () => Promise<void>): void {
  let isHeld = false;
  requested = async (request) => {
    if (isHeld || !matches(request)) return undefined;
    isHeld = true;
    await until();
    return undefined;
  };
}

const writesDecision =
  (orderRef: string) =>
  ({ operation, body }: Parameters<RequestWrapper>[0]) =>
    operation === 'UpdateItem' && body.includes('":decision"') && body.includes(`"${orderRef}"`);

test.each([
  ['an invalid decision follows', (orderRef: string) => world.put(orderRef, 'decision.json', '{ "choices": oops')],
  ['its file is deleted', (orderRef: string) => world.removeFromIntake(orderRef, 'decision.json')],
])('an accepted decision counts and wakes the order, although %s at once', async (name, follow) => {
  const orderRef = `taken-though-${name.length}`;
  const { order, choices } = await untilOffers(world, orderRef);
  const [choice] = choices;
  holdFirst(writesDecision(orderRef), () => follow(orderRef));
  await decide(world, orderRef, [choice]);
  await world.aws.settle();
  expect(confirmed(order)).toEqual([choice]);
  const arrivals = (await world.items(orderRef)).filter(({ what }) => what === 'A decision arrived');
  expect(arrivals).toHaveLength(1);
});
