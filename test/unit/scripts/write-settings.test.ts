import { expect, test } from 'vitest';
import { allSettings, settingsPage } from '../../../scripts/write-settings.ts';

test('every setting, and every group of settings, has a description', () => {
  const settings = allSettings();
  expect(settings.length).toBeGreaterThan(80);
  expect(settings.filter(({ schema }) => !schema.description?.endsWith('.')).map(({ name }) => name)).toEqual([]);
});

test.each([
  ['a range', '| `waitRecheckHours` | 1 to 168 | test: 6<br>prod: 6<br>local: 24 |'],
  ['bytes', '| `limits.orderJsonBytes` | 1 KiB to 8 MiB | 1 MiB |'],
  ['words', '| `signing.gate` | `off`, `check`, `strict` | `check` |'],
  ['a number or a word', '| `retention.documentsDays` | 1 to 36500, `keep` | 90 |'],
  ['a setting without a value', '| `events.archiveDays` | 1 to 36500 | – |'],
])('the page of settings shows %s', (_title, row) => {
  expect(settingsPage()).toContain(`\n${row}`);
});
