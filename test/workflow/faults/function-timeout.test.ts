import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { creating } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

interface Template {
  Resources: Record<string, { Properties?: { FunctionName?: string; Timeout?: number } }>;
}

/** The stack, with a timeout of one second for `create-order`. */
function shortTimeoutAssembly(): string {
  const directory = mkdtempSync(join(inject('temporaryDirectory'), 'short-timeout-'));
  cpSync(inject('assemblyDirectory'), directory, { recursive: true });
  const file = join(directory, 'LoanOrders-local.template.json');
  const template = JSON.parse(readFileSync(file, 'utf8')) as Template;
  for (const { Properties: properties } of Object.values(template.Resources)) {
    if (properties?.FunctionName === 'loan-orders-local-create-order') properties.Timeout = 1;
  }
  writeFileSync(file, JSON.stringify(template));
  return directory;
}

const intentReached = Promise.withResolvers<void>();
const released = Promise.withResolvers<void>();

const world = await openWorld({
  assemblyDirectory: shortTimeoutAssembly(),
  requestWrapper: async ({ operation, body }) => {
    if (operation !== 'PutItem' || !body.includes('"item":{"S":"operation#create')) return undefined;
    intentReached.resolve();
    await released.promise;
    return undefined;
  },
});

test('a function that times out fails with Sandbox.Timedout and does not call the order service afterwards', async () => {
  await submit(world, 'slow');
  await intentReached.promise;
  await expect
    .poll(async () => (await world.record('slow'))?.failure, { timeout: 20_000 })
    .toMatchObject({ error: 'Sandbox.Timedout' });
  released.resolve();
  await world.aws.settle();
  expect(world.simulator.calls().filter(creating)).toEqual([]);
});
