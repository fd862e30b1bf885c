import { expect, test } from 'vitest';
import { toBinarySignature } from '../text-forms.ts';
import { kept } from './helpers/gost-files.ts';
import { check, GOST } from './helpers/gost-table.ts';

const der = kept.bytes('256-TCA.der');
const base64 = der.toString('base64');
const lines = base64.replace(/.{76}/g, '$&\r\n');
const hex = der.toString('hex');
const wide = (text: string) => Buffer.from(text, 'utf16le');
const pem = (label: string, text = lines) => `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`;

test.each<[string, string | Buffer]>([
  ['Base64 in UTF-16 LE with a mark', wide(`\ufeff${lines}\r\n`)],
  ['Base64 in UTF-16 LE without a mark', wide(lines)],
  ['Base64 in UTF-16 BE with a mark', wide(`\ufeff${lines}`).swap16()],
  ['Base64 in UTF-16 BE without a mark', wide(lines).swap16()],
  ['Base64 with final NULs', `${lines}\r\n\0\0`],
  ['Base64 in UTF-16 with a final NUL', wide(`${lines}\0`)],
  ['Base64 of Base64', Buffer.from(lines).toString('base64')],
  ['Base64 of PEM in UTF-16', wide(Buffer.from(pem('CMS')).toString('base64'))],
  ['base64url', der.toString('base64url')],
  ['hexadecimal', `${hex}\n`],
  ['hexadecimal in upper case with spaces', hex.toUpperCase().replace(/../g, '$& ')],
  ['hexadecimal with colons', hex.match(/../g)?.join(':') ?? ''],
  ['PEM after other text', `Bag Attributes\n  friendlyName: x\nsubject=CN = x\n${pem('PKCS7')}done\n`],
  ['PEM with the label that certutil writes for any file', pem('CERTIFICATE')],
])('%s is decoded', async (_form, text) => {
  expect(Buffer.from(toBinarySignature(Buffer.from(text)))).toEqual(der);
  expect(await check(Buffer.from(text), GOST)).toMatchObject({ passed: true, bytes: der });
});
