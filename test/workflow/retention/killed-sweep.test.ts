import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { runSweep } from '../../helpers/run-sweep.ts';
import { versionsOf } from '../../helpers/stored-bytes.ts';
import { DAY } from '../../helpers/world.ts';

interface Template {
  Resources: Record<string, { Properties?: { FunctionName?: string; Timeout?: number } }>;
}

/** The stack, with a timeout of five seconds for the sweep. */
function shortTimeoutAssembly(): string {
  const directory = mkdtempSync(join(inject('temporaryDirectory'), 'short-sweep-'));
  cpSync(inject('assemblyDirectory'), directory, { recursive: true });
  const file = join(directory, 'LoanOrders-local.template.json');
  const template = JSON.parse(readFileSync(file, 'utf8')) as Template;
  for (const { Properties: properties } of Object.values(template.Resources)) {
    if (properties?.FunctionName === 'loan-orders-local-sweep') properties.Timeout = 5;
  }
  writeFileSync(file, JSON.stringify(template));
  return directory;
}

const broken = { deletions: Number.POSITIVE_INFINITY, over: Promise.withResolvers<void>() };
const world = await openWorld({
  assemblyDirectory: shortTimeoutAssembly(),
  requestWrapper: async ({ operation }) => {
    if (operation !== 'DELETE') return undefined;
    broken.deletions -= 1;
    // The sweep waits for S3 until Lambda ends it.
    if (broken.deletions < 0) await broken.over.promise;
    return undefined;
  },
});

test('a sweep that is killed between two files leaves the order incomplete, and the next sweep goes on', async () => {
  await submit(world, 'killed');
  await world.untilEnd('killed');
  const before = await versionsOf(world, 'killed');
  world.clock.advanceTo(world.clock.now() + 100 * DAY);
  broken.deletions = 12;
  await expect(runSweep(world)).rejects.toThrow('Task timed out');
  expect((await world.record('killed'))?.removal?.files.endedAt).toBeUndefined();
  const left = await versionsOf(world, 'killed');
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(before.length);
  broken.deletions = Number.POSITIVE_INFINITY;
  broken.over.resolve();
  expect(await runSweep(world)).toMatchObject({ emptied: 1 });
  expect((await world.record('killed'))?.removal?.files).toMatchObject({ count: before.length });
  expect([...new Set((await versionsOf(world, 'killed')).map(({ file }) => file))]).toEqual(['erased.json']);
});
