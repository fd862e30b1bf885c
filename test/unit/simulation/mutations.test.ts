import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { brokenAssembly } from '../../simulation/mutations/broken-assembly.ts';
import { mutations } from '../../simulation/mutations/list.ts';
import { isAllRight, mutationTable } from '../../simulation/mutations/table.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const texts = mutations.flatMap(({ name, changes }) => changes.map((change) => [name, change] as const));

test.each(texts)(
  'the code that a mutation replaces occurs once in its file: %s',
  async (_name, { file, text, instead }) => {
    const source = await readFile(project + file, 'utf8');
    expect(source.split(text)).toHaveLength(2);
    expect(instead).not.toBe(text);
  },
);

test('a mutation of code that no longer exists fails with an error that names the mutation and the file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'loan-orders-mutation-test-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const changes = [{ file: 'core/reading/poll.ts', text: 'no such text', instead: '' }];
  const broken = brokenAssembly(directory, { name: 'gone', changes, plans: () => [] });
  await expect(broken).rejects.toThrow('Mutation "gone": its text occurs 0 times in core/reading/poll.ts, not once');
});

const sound = { name: '(nothing is broken)', violations: [] };
const found = { name: 'one', violations: ['order-1: it was created 2 times'] };
const missed = { name: 'two', violations: [] };

test('the mutation run passes only when every mutation causes a violation and the unbroken code causes none', () => {
  expect(isAllRight([sound, found])).toBe(true);
  expect(isAllRight([sound, found, missed])).toBe(false);
  expect(isAllRight([{ ...sound, violations: ['order-1: lost'] }, found])).toBe(false);
});

test('a mutation that needs wrong clocks must cause no violation with right ones', () => {
  expect(isAllRight([sound, { ...found, withRightClocks: [] }])).toBe(true);
  const red = { ...found, withRightClocks: ['order-1: lost'] };
  expect(isAllRight([sound, red])).toBe(false);
  expect(mutationTable([sound, red])[3]).toMatch(/^one +1 +RED WITH RIGHT CLOCKS +order-1: lost$/);
});

test('the table says for each mutation whether it was noticed', () => {
  const [, , , first = '', second = ''] = mutationTable([sound, found, missed]);
  expect(first).toMatch(/^one +1 +red +order-1: it was created 2 times$/);
  expect(second).toMatch(/^two +0 +NOT NOTICED/);
});
