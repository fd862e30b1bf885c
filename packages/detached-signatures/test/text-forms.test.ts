import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { toBinarySignature } from '../text-forms.ts';
import { kept } from './helpers/gost-files.ts';
import { check, GOST, REFUSED } from './helpers/gost-table.ts';

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
  ['hexadecimal after 0x', `0x${hex}`],
  ['hexadecimal in upper case with spaces', hex.toUpperCase().replace(/../g, '$& ')],
  ['hexadecimal with colons', hex.match(/../g)?.join(':') ?? ''],
  ['PEM after other text', `Bag Attributes\n  friendlyName: x\nsubject=CN = x\n${pem('PKCS7')}done\n`],
  ['PEM with the label that certutil writes for any file', pem('CERTIFICATE')],
])('%s is decoded', async (_form, text) => {
  expect(Buffer.from(toBinarySignature(Buffer.from(text)))).toEqual(der);
  expect(await check(Buffer.from(text), GOST)).toMatchObject({ passed: true, bytes: der });
});

const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
const key = openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256');
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '/dev/null'];
const request = (...args: string[]) => openssl('req', '-new', '-subj', '/CN=x', ...NEW_KEY, ...args);
const fourTimes = [1, 2, 3, 4].reduce((text) => Buffer.from(text).toString('base64'), der as string | Buffer);

test.each<[string, string | Buffer, string]>([
  ['a PDF', '%PDF-1.7\n%\xe2\xe3', 'of the format PDF'],
  ['a web page', '\n<!DOCTYPE html><title>x</title>', 'of the format HTML'],
  [
    'an XML signature',
    '<?xml version="1.0"?><a><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/></a>',
    'of the format XML',
  ],
  ['XML in UTF-16', wide('\ufeff<?xml version="1.0"?>'), 'of the format XML'],
  ['a ZIP', 'PK\x03\x04\x14\0document', 'of the format ZIP'],
  ['an ASiC container', 'PK\x03\x04\x14\0mimetypeapplication/vnd.etsi.asic-e+zip', 'of the format ZIP'],
  ['JSON', '{"signature":"MII"}', 'of the format JSON'],
  ['S/MIME', 'MIME-Version: 1.0\nContent-Type: multipart/signed\n\nMII', 'of the format MIME'],
  ['a certificate', request('-x509', '-outform', 'DER'), 'of the format X.509'],
  ['a certificate in PEM', request('-x509'), 'of the format X.509'],
  ['a certificate request', request('-outform', 'DER'), 'of the format X.509'],
  ['a private key', key, 'of the format PKCS #8'],
  ['a private key in DER', openssl('genpkey', '-algorithm', 'ED25519', '-outform', 'DER'), 'of the format PKCS #8'],
  ['a revocation list', kept.bytes('rsa.crl'), 'of the format X.509'],
  ['text', 'Подпись\n', 'of the format TXT'],
  ['text that begins as DER does', '01.11.2026 Договор\n', 'of the format TXT'],
  ['other bytes', Buffer.of(1, 2, 3), 'it is not in DER'],
  ['two PEM blocks', pem('CMS') + pem('CERTIFICATE'), 'it has more than one PEM block'],
  ['a PEM block that is cut short', pem('CMS').slice(0, 900), 'it is cut short'],
  ['Base64 of Base64 of Base64 of Base64', fourTimes, 'of the format TXT'],
])('%s is named', async (_what, file, problem) => {
  expect(await check(Buffer.from(file), GOST)).toMatchObject(REFUSED(problem));
});
