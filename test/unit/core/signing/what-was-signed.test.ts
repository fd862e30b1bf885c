import { readFileSync } from 'node:fs';
import { makeSigner } from '@business-loan-orders/detached-signatures/certificates';
import type { Owner } from '@business-loan-orders/detached-signatures/reasons';
import { checkSignature, type SignedDocument } from '@business-loan-orders/detached-signatures/signature-gate';
import { expect, test } from 'vitest';
import { told } from '../../../../core/signing/gate.ts';
import { whatWasSigned } from '../../../../core/signing/what-was-signed.ts';
import { documentOf } from '../../../../packages/detached-signatures/test/helpers/cms.ts';
import { openFolder, run, signerFiles } from '../../../helpers/signer-files.ts';

const folder = openFolder();
const signer = signerFiles(folder, makeSigner('p-384'));
const gate = { level: 'check', authorities: [], now: new Date() } as const;

/** Makes `form` of `document` with a shell, and signs it with OpenSSL. Returns the verdict on it as the signature of the document. */
async function judged(content: string | Buffer, make: string, digest: string) {
  const [document, form, signature] = [folder.write('document', content), folder.path('form'), folder.path('sig')];
  await run('sh', ['-c', `${make} > "$2"`, 'sh', document, form], { env: { ...process.env, LC_ALL: 'C' } });
  const by = ['-signer', signer.cert, '-inkey', signer.key, '-in', form, '-out', signature];
  await run('openssl', ['cms', '-sign', '-binary', '-outform', 'DER', '-md', digest, ...by]);
  let reads = 0;
  const plain = documentOf(Buffer.from(content));
  const open = () => {
    reads += 1;
    return plain.open();
  };
  const signed: SignedDocument = { ...plain, open, findOwner: (...sought) => whatWasSigned(signed, ...sought) };
  const verdict = await checkSignature(readFileSync(signature), signed, gate);
  return { reads, verdict: verdict.passed ? verdict : { ...verdict, ...told(verdict) } };
}

const TEXT = `${'Договор № 1, страница.\n'.repeat(400)}Конец\n`;
const BINARY = Buffer.from(Array.from({ length: 70_001 }, (_, at) => (at * 7919) % 251));
const DOS = TEXT.replaceAll('\n', '\r\n');

test.each<[string, string | Buffer, string, Owner['form'], string?]>([
  ['Base64 in lines of 64', BINARY, 'openssl base64 -in "$1"', 'Base64'],
  ['Base64 in lines of 64 with CRLF', BINARY, String.raw`openssl base64 -in "$1" | sed 's/$/\r/'`, 'Base64'],
  ['Base64 in lines of 76 without the last end', BINARY, 'base64 "$1" | head -c -1', 'Base64', 'sha512'],
  ['Base64 in one line', BINARY, 'openssl base64 -A -in "$1"', 'Base64'],
  ['hexadecimal digits', TEXT, String.raw`od -An -v -tx1 "$1" | tr -d ' \n'`, 'hex'],
  ['large hexadecimal digits', TEXT, String.raw`od -An -v -tx1 "$1" | tr -d ' \n' | tr a-f A-F`, 'hex'],
  ['UTF-16', TEXT, 'iconv -f UTF-8 -t UTF-16LE "$1"', 'UTF-16LE'],
  ['UTF-16 with its mark', TEXT, String.raw`(printf '\377\376'; iconv -f UTF-8 -t UTF-16LE "$1")`, 'UTF-16LE'],
  ['CRLF instead of LF', TEXT, String.raw`sed 's/$/\r/' "$1"`, 'CRLF'],
  ['LF instead of CRLF', DOS, String.raw`tr -d '\r' < "$1"`, 'LF'],
  ['a mark that was added', TEXT, String.raw`(printf '\357\273\277'; cat "$1")`, '+BOM'],
  ['a mark that was removed', `\ufeff${TEXT}`, 'tail -c +4 "$1"', '-BOM'],
  ['its digest', TEXT, 'openssl dgst -sha384 -binary "$1"', 'SHA-384', 'sha384'],
  ['its digest in hexadecimal', TEXT, `openssl dgst -sha256 -r "$1" | head -c 64`, 'SHA-256'],
])(
  'a signature of %s is refused as such, after one more read',
  async (_what, content, make, form, digest = 'sha256') => {
    const { reads, verdict } = await judged(content, make, digest);
    expect(verdict).toMatchObject({
      code: 'HASH_FAILURE.other',
      indication: 'TOTAL-FAILED',
      params: { form },
      problem: `It is the signature of another form (${form}) of this document. Download the document again, and sign that file unchanged (OpenSSL: with -binary).`,
    });
    expect(reads).toBeLessThanOrEqual(1);
  },
);

test('a signature of anything else names both digests', async () => {
  const { verdict } = await judged(TEXT, 'tail -c +2 "$1"', 'sha256');
  expect(verdict).toMatchObject({ code: 'HASH_FAILURE', params: { found: expect.stringMatching(/^[0-9a-f]{64}$/) } });
  expect(await judged(TEXT, 'cat "$1"', 'sha256')).toMatchObject({ reads: 0, verdict: { passed: true } });
});
