import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { creating } from '../../helpers/faults.ts';
import { NO_OFFERS, openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';

const world = await openWorld({ settings: NO_OFFERS });

async function problems(orderRef: string): Promise<(string | undefined)[] | undefined> {
  await world.aws.settle();
  const found = await world.packageProblems(orderRef);
  for (const { problem, fix } of found ?? []) expect([problem, fix]).not.toContain('');
  return found?.map(({ path }) => path).sort();
}

test('a bad package starts nothing and is rejected with all its problems at once, and the corrected package starts', async () => {
  const content = orderPackage({ documents: ['a.pdf', 'b.pdf', 'устав.pdf'] });
  await world.put('bad', 'documents/a.pdf', '');
  await world.put('bad', 'order.json', { ...content, order: {}, offers: { choose: 'rule' } });
  expect(await problems('bad')).toEqual(
    ['$.documents[0].file', '$.documents[1].file', '$.documents[2].file', '$.offers.rule', '$.order'].sort(),
  );
  expect(await world.executions('bad')).toEqual([]);
  expect(await world.items('bad')).toEqual([]);
  expect(await world.stagedKeys('bad')).toEqual([]);

  expect(await world.submitToEnd('bad', { documents: ['a.pdf', 'b.pdf'] })).toMatchObject({ status: 'CLOSED' });
  expect(await problems('bad')).toBeUndefined();
});

test('order data that does not fit the schema of the stage is rejected before anything is sent', async () => {
  const file = join(inject('temporaryDirectory'), 'order-schema.json');
  await writeFile(file, JSON.stringify({ type: 'object', properties: { amount: { type: 'string' } } }));
  world.aws.useFunctionVariables({ ORDER_SCHEMA_FILE: file });
  await world.submit('unfit', { offers: { choose: 'manual' } });
  expect(await problems('unfit')).toEqual(['$.order.amount']);
  expect(await world.executions('unfit')).toEqual([]);
});

test('files of a package that are uploaded at the same moment start one order', async () => {
  const content = orderPackage({ documents: ['a.pdf', 'b.pdf', 'c.pdf'] });
  const files = content.documents.map(({ file }) => world.put('at-once', file, `bytes of ${file}`));
  await Promise.all([...files, world.put('at-once', 'order.json', content)]);
  expect(await problems('at-once')).toBeUndefined();
  await world.untilEnd('at-once');
  expect(await world.executions('at-once')).toHaveLength(1);
  expect(await world.calls('at-once', creating)).toHaveLength(1);
});
