import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { runsAtOnce } from '../../../infra/order/calls-at-once.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

const CALLS_AT_ONCE = 7;
const ORDERS = 4;

interface Template {
  Resources: Record<
    string,
    { Properties?: { FunctionName?: string; ReservedConcurrentExecutions?: number | undefined } }
  >;
}

/** The stack of a stage with `callsAtOnce`. */
function boundedAssembly(): string {
  const directory = mkdtempSync(join(inject('temporaryDirectory'), 'calls-at-once-'));
  cpSync(inject('assemblyDirectory'), directory, { recursive: true });
  const file = join(directory, 'LoanOrders-local.template.json');
  const template = JSON.parse(readFileSync(file, 'utf8')) as Template;
  for (const { Properties: properties } of Object.values(template.Resources)) {
    const name = /^loan-orders-local-(.+)$/.exec(properties?.FunctionName ?? '')?.[1];
    if (properties && name) properties.ReservedConcurrentExecutions = runsAtOnce(CALLS_AT_ONCE, name);
  }
  writeFileSync(file, JSON.stringify(template));
  return directory;
}

let [now, most] = [0, 0];

const world = await openWorld({
  assemblyDirectory: boundedAssembly(),
  settings: { pollAfterSeconds: 2, documentsToSign: 2 },
});
world.simulator.hooks.before = async () => {
  now += 1;
  most = Math.max(most, now);
  // The calls of other functions come meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 20));
};
world.simulator.hooks.after = async () => {
  now -= 1;
};

test('orders that want more calls at once are throttled and retried, and all of them close', async () => {
  const orderRefs = Array.from({ length: ORDERS }, (_, position) => `at-once-${position + 1}`);
  await Promise.all(orderRefs.map((orderRef) => submit(world, orderRef, { documents: ['a.pdf', 'b.pdf'] })));
  let throttled = 0;
  for (const orderRef of orderRefs) {
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
    const [execution] = await world.executions(orderRef);
    const history = await world.history(execution?.executionArn);
    throttled += history.filter(
      ({ taskFailedEventDetails }) => taskFailedEventDetails?.error === 'Lambda.TooManyRequestsException',
    ).length;
  }
  // More calls were wanted than there were.
  expect(throttled).toBeGreaterThan(0);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(CALLS_AT_ONCE);
});
