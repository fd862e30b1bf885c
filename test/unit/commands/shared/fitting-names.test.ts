import { expect, test } from 'vitest';
import { fittingFile, fittingName } from '../../../../commands/shared/fitting-names.ts';

test.each([
  ['Заявка 12', 'Zayavka-12'],
  ['Устав (копия).pdf', 'Ustav-kopiya.pdf'],
  ['.скрытый', 'skrytiy'],
  ['договор', 'dogovor'],
  ['Jürgen & Söhne', 'Juergen-Soehne'],
  ['日本', ''],
])('%s becomes %s', (name, fitting) => {
  expect(fittingName(name)).toBe(fitting);
});

test('a path of a document keeps its folders below documents/', () => {
  expect(fittingFile('documents/сканы/Устав 1.pdf')).toBe('documents/skany/Ustav-1.pdf');
  expect(fittingFile('Устав.pdf')).toBe('documents/Ustav.pdf');
});
