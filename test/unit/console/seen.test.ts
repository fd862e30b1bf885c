import { expect, test } from 'vitest';
import { plain } from '../../../commands/text.ts';
import { seen } from '../../../console/page/parts/seen.ts';

test('the page shows each character that cannot be seen as the command line does, and keeps line breaks', () => {
  const differing: string[] = [];
  // Of the planes without assigned characters every 64th is enough. Tags are in one of these.
  for (let code = 0xa0; code <= 0x10ffff; code += code < 0x40000 || code >> 8 === 0xe00 ? 1 : 64) {
    const text = `a${String.fromCodePoint(code)}b`;
    if (/\p{Cc}|\p{Cs}|\p{Zl}|\p{Zp}/u.test(text)) continue;
    if (seen(text) !== plain(text)) differing.push(code.toString(16));
  }
  expect(differing).toEqual([]);
  expect(seen('a\u202eb\n\tc\u2028')).toBe('a%E2%80%AEb\n\tc\u2028');
});
