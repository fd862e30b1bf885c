import { expect, test } from 'vitest';
import { allSettings, schemaOf } from '../../../infra/all-settings.ts';
import { stageSchema } from '../../../infra/stages.ts';
import { settingsPage, stageJsonSchema } from '../../../scripts/write-settings.ts';

test('every setting, and every group of settings, has a description', () => {
  const settings = allSettings(schemaOf(stageSchema));
  expect(settings.length).toBeGreaterThan(60);
  expect(settings.filter(({ schema }) => !schema.description?.endsWith('.')).map(({ name }) => name)).toEqual([]);
});

test.each([
  ['a range', '| `outagePatienceHours` | 1 to 8760 | 72 |'],
  ['bytes', '| `limits.documentBytes` | 1 KiB to 5 GiB | 5 GiB |'],
  ['words', '| `signing.gate` | `off`, `check`, `strict` | `check` |'],
  ['a number or a word', '| `retention.documentsDays` | 1 to 36500, `keep` | 90 |'],
  ['a setting without a value', '| `events.archiveDays` | 1 to 36500 | – |'],
])('the page of settings shows %s', (_title, row) => {
  expect(settingsPage()).toContain(`\n${row}`);
});

test('the schema for editors has the default and the unit of a setting, and accepts the files of the project', () => {
  const schema = stageJsonSchema();
  expect(schema).toMatchObject({
    properties: { limits: { properties: { documentBytes: { default: 5 * 2 ** 30, description: /Unit: bytes\.$/ } } } },
    required: ['orderService'],
  });
});
