import { expect, test } from 'vitest';
import { evidenceWatch } from '../../../../core/signing/digesting-stream.ts';

/** An attribute content-type, as DER. */
const ATTRIBUTE = '301806092a864886f70d010903310b06092a864886f70d010701';

const SHA256 = '0123456789abcdef'.repeat(4);

test.each([
  ['a line of sha256sum', Buffer.from(`${SHA256}  package/order.json\n`), true],
  ['a line of sha256sum about a name with a line break', Buffer.from(`\\${SHA256}  a\\nb`), true],
  ['signed attributes', Buffer.from(`311a${ATTRIBUTE}`, 'hex'), true],
  ['signed attributes with a long length', Buffer.from(`3184${'0000001a'}${ATTRIBUTE}`, 'hex'), true],
  ['signed attributes of indefinite length', Buffer.from(`3180${ATTRIBUTE}0000`, 'hex'), true],
  ['a text with a line of sha256sum later', Buffer.from(`The sums:\n${SHA256}  order.json`), false],
  ['a text that begins with a digest alone', Buffer.from(`${SHA256}0  order.json`), false],
  ['a text of digits', Buffer.from('1. 0. 100 000 roubles, 10 months'), false],
  ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj'), false],
  ['nothing', Buffer.alloc(0), false],
])('%s, in chunks of any size', (_what, document, begins) => {
  for (const size of [1, 3, 64, 65, 1000]) {
    const watch = evidenceWatch();
    let found = false;
    for (let at = 0; at < document.length; at += size) found ||= watch(document.subarray(at, at + size));
    expect(found, `chunks of ${size}`).toBe(begins);
  }
});
