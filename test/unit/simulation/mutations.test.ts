import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { mutations } from '../../simulation/mutations/list.ts';

const project = new URL('../../../', import.meta.url);

test.each(mutations.flatMap(({ name, changes }) => changes.map((change) => [name, change] as const)))(
  'the code that a mutation replaces occurs once in its file: %s',
  async (_name, { file, text, instead }) => {
    expect((await readFile(new URL(file, project), 'utf8')).split(text)).toHaveLength(2);
    expect(instead).not.toBe(text);
    // Nothing else is built again.
    expect(file).toMatch(/^(core|functions)\//);
  },
);
