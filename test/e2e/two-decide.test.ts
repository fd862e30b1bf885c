import type { RequestWrapper } from '@business-loan-orders/embedded-aws';
import { afterEach, expect, test } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';
import { OFFERS_AT_ONCE, untilOffers } from '../helpers/offers.ts';
import { openConsole } from '../helpers/open-console.ts';
import { openWorld } from '../helpers/open-world.ts';
import { openFolder } from '../helpers/signer-files.ts';

let requested: RequestWrapper | undefined;
/** Events that are held back, while there are any. */
let held: (() => void)[] | undefined;
const world = await openWorld({
  settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 },
  requestWrapper: async (request, serve) => requested?.(request, serve),
  deliveryWrapper: (event, deliver) => {
    if (held && JSON.stringify(event).includes('decision.json')) held.push(deliver);
    else deliver();
  },
});
const { post } = await openConsole(world);
const folder = openFolder();

afterEach(() => {
  requested = undefined;
  held = undefined;
});

async function linesOf(orderRef: string): Promise<Record<string, unknown>[]> {
  const items = (await world.items(orderRef)) as unknown as ({ item: string } & Record<string, unknown>)[];
  return items.filter(({ item }) => item.startsWith('event#'));
}
const decisionLines = async (orderRef: string) =>
  (await linesOf(orderRef)).map(({ what }) => String(what)).filter((what) => what.startsWith('A decision'));

/** Holds uploads of a decision until two have come. */
function holdUntilTwo(): void {
  let release: (() => void) | undefined;
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  let count = 0;
  requested = async ({ service, operation, path }) => {
    if (service !== 'S3' || operation !== 'PUT' || !path.includes('decision.json')) return undefined;
    count += 1;
    if (count === 2) release?.();
    await both;
    return undefined;
  };
}

test('of two people who decide at the same moment, one decides, and the other is told who decided what', async () => {
  const { choices, order } = await untilOffers(world, 'at-once');
  const [first, second] = choices;
  holdUntilTwo();
  const decide = (name: string, choice: unknown) => {
    const file = folder.write(`${name}.json`, JSON.stringify({ choices: [choice], decidedBy: name }));
    return loanOrders(['--endpoint', world.aws.endpoint, 'confirm', 'at-once', '--file', file]);
  };
  const outcomes = await Promise.all([decide('Anna', first), decide('Boris', second)]);
  const [winner, loser] = outcomes[0]?.code === 0 ? ['Anna', 1] : ['Boris', 0];
  expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1]);
  expect(outcomes[loser as number]?.stderr).toMatch(
    new RegExp(
      `^Somebody decided on order at-once a moment ago: .* That decision takes [^ ]+ \\(.*Decided by: ${winner}\\.`,
    ),
  );
  await world.untilEnd('at-once');
  const taken = winner === 'Anna' ? first : second;
  expect(order.confirmations.map(({ offerId }) => offerId)).toEqual([taken?.offerId]);
  expect(await decisionLines('at-once')).toEqual(['A decision arrived']);
});

test('a page that has not shown the latest decision does not replace it', async () => {
  const { choices } = await untilOffers(world, 'not-seen');
  const [first, second] = choices;
  const decide = (choice: unknown, seen: number) => post('/api/orders/not-seen/decision', { choices: [choice], seen });
  expect((await decide(first, 0)).status).toBe(200);
  await world.aws.settle();
  const refused = await decide(second, 0);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toEqual({
    error: expect.stringMatching(/^Somebody decided on order not-seen .*user\/local\. It takes these offers: /),
  });
  expect(await world.record('not-seen')).toMatchObject({ decision: { version: 1 } });
  expect(await decisionLines('not-seen')).toEqual(['A decision arrived']);
});

test('repeating an upload whose answer was lost is no second decision', async () => {
  const { choices } = await untilOffers(world, 'lost-answer');
  let isLost = false;
  requested = async ({ service, operation, path }, serve) => {
    if (isLost || service !== 'S3' || operation !== 'PUT' || !path.includes('decision.json')) return undefined;
    isLost = true;
    await serve();
    return { status: 503, code: 'SlowDown' };
  };
  const response = await post('/api/orders/lost-answer/decision', { choices: [choices[0]], seen: 0 });
  expect({ status: response.status, isLost }).toEqual({ status: 200, isLost: true });
  await world.aws.settle();
  const again = await post('/api/orders/lost-answer/decision', { choices: [choices[0]], seen: 0 });
  expect(again.status).toBe(200);
  expect(await world.record('lost-answer')).toMatchObject({ decision: { version: 1 } });
});

test('a decision that a partner overwrites without a look is a line of the timeline, read or not', async () => {
  const { choices } = await untilOffers(world, 'overwritten');
  const [first, third] = choices.map((choice) => ({ choices: [choice] }));
  held = [];
  await world.put('overwritten', 'decision.json', first);
  await world.put('overwritten', 'decision.json', { choices: [] });
  await expect.poll(() => held?.length).toBe(2);
  for (const deliver of (held ?? []).splice(0)) deliver();
  held = undefined;
  await world.aws.settle();
  expect((await decisionLines('overwritten')).sort()).toEqual([
    'A decision arrived',
    'A decision was replaced or deleted before it was read',
  ]);
  await world.put('overwritten', 'decision.json', third);
  await world.aws.settle();
  const lines = await linesOf('overwritten');
  expect(lines.filter(({ what }) => what === 'A decision was replaced')).toMatchObject([{ choices: 1 }]);
});
