import { expect, test } from 'vitest';
import { plain } from '../../../commands/text.ts';
import { seen } from '../../../console/page/parts/seen.ts';

test('the page shows each character that cannot be seen as the command line does, and keeps line breaks', () => {
  const blocks: string[] = [];
  // Of the planes without assigned characters every 64th is enough. Tags are in one of these.
  for (let code = 0xa0; code <= 0x10ffff; code += code < 0x40000 || code >> 8 === 0xe00 ? 1 : 64)
    blocks[code >> 8] = `${blocks[code >> 8] ?? 'a'}${String.fromCodePoint(code)}b`;
  const texts = blocks.map((block) => block.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, ''));
  expect(texts.filter((text) => seen(text) !== plain(text))).toEqual([]);
  expect(seen('a\u202eb\n\tc\u2028')).toBe('a%E2%80%AEb\n\tc\u2028');
});
