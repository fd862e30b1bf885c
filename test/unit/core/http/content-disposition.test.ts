import { expect, test } from 'vitest';
import { fileNameIn } from '../../../../core/http/content-disposition.ts';

const asNodeReadsIt = (header: string) => Buffer.from(header, 'utf8').toString('latin1');

test.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ['attachment', undefined],
  ['attachment; filename=""', undefined],
  ['attachment; filename="a b;c.pdf"', 'a b;c.pdf'],
  ['attachment; filename="x.pdf"; filename*=UTF-8\'\'%D0%B4%20%E2%84%96.pdf', 'д №.pdf'],
  [asNodeReadsIt('attachment; filename="договор.pdf"'), 'договор.pdf'],
  ['attachment; filename="caf\u00e9.pdf"', 'café.pdf'],
  [`attachment; filename="${'a'.repeat(2_000)}"`, 'a'.repeat(1_000)],
  [`attachment; filename*=UTF-8''${'a'.repeat(999)}%F0%9F%98%80.pdf`, `${'a'.repeat(999)}😀`],
])('the file name of %j is %j', (header, name) => {
  expect(fileNameIn(header)).toBe(name);
});
