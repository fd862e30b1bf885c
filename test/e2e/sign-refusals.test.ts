import { createHash } from 'node:crypto';
import { makeSigner, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { makeGostSigner } from '@business-loan-orders/detached-signatures/gost-certificates';
import { beforeAll, expect, test } from 'vitest';
import { quoted } from '../../commands/shared/text.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { refusalOf } from '../helpers/commands-in.ts';
import { openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { chainPem, keyPem, openFolder, run, signerFiles } from '../helpers/signer-files.ts';

const settings = { ...SIGNATURES_AT_ONCE, documentsToSign: 2 };
const world = await openWorld({ settings, ordersGoOn: true });
const LEFT = 'left';
beforeAll(() => world.submitToSign(LEFT));

const folder = openFolder();
const days = (count: number) => new Date(Date.now() + count * 86_400_000);
const dated = (from: number, to: number) =>
  makeSigner('p-256', { validity: { notBefore: days(from), notAfter: days(to) } });
const signer = makeSigner('p-256');
const files = signerFiles(folder, signer);

const sign = (orderRef: string, { key = files.key, cert = files.cert } = {}, environment?: Record<string, string>) =>
  loanOrders(['--endpoint', world.aws.endpoint, 'sign', orderRef, '--key', key, '--cert', cert], environment);

const commandLine = (...args: string[]) => loanOrders(['--endpoint', world.aws.endpoint, 'sign', ...args]);

const refused = async (...command: Parameters<typeof sign>) => refusalOf(await sign(...command));

async function waiting(orderRef: string) {
  await world.submitToSign(orderRef);
  return world.documentsToSign(orderRef);
}

const expectNothingSigned = async (orderRef: string) => {
  await world.aws.settle();
  expect(await world.told(orderRef, 'A signature arrived')).toEqual([]);
  expect(await world.record(orderRef)).toMatchObject({ waitingFor: 'signatures' });
};

test('sign refuses an order that does not exist or has nothing to sign', async () => {
  expect(await refused('nobody')).toContain('There is no order nobody in staging');
  // The documents of an earlier round.
  await world.stage('done', 'to-sign.json', await world.stagedJson(LEFT, 'to-sign.json'));
  await world.stage('done', 'status.json', { status: 'WAITING_FOR_SIGNATURE', waitingFor: 'service' });
  expect(await refused('done')).toContain('its documents are still being staged. Repeat this in a minute.');
  await world.stage('done', 'status.json', { status: 'CLOSED', waitingFor: 'nobody' });
  expect(await refused('done')).toContain('Order done is CLOSED: there is nothing to sign.');
});

test('sign does not sign a document that begins as evidence does', async () => {
  const [document] = await waiting('evidence');
  const content = `${'0'.repeat(64)}  order.json\n`;
  const versionId = await world.stage('evidence', document?.key.replace('orders/evidence/', '') ?? '', content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const documents = [{ ...document, versionId, sha256 }];
  await world.stage('evidence', 'to-sign.json', { orderRef: 'evidence', round: 1, documents });
  expect(await refused('evidence')).toMatch(/begins as evidence does .*: nothing was uploaded\. Do not sign it; /);
  await expectNothingSigned('evidence');
});

test('sign refuses each unusable key or certificate with its own sentence', async () => {
  const [expired, future] = [dated(-10, -1), dated(1, 10)];
  const write = (name: string, content: string) => folder.write(name, content);
  const ed25519 = { key: folder.path('ed25519.key'), cert: folder.path('ed25519.pem') };
  const request = ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-subj', '/CN=x'];
  await run('openssl', [...request, '-keyout', ed25519.key, '-out', ed25519.cert]);
  const encipherment = { key: folder.path('encipherment.key'), cert: folder.path('encipherment.pem') };
  const curve = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=x'];
  const usage = ['-addext', 'keyUsage=keyEncipherment', '-keyout', encipherment.key, '-out', encipherment.cert];
  await run('openssl', [...curve, ...usage]);
  const reversed = chainPem(signer)
    .split(/(?=-----BEGIN)/)
    .reverse()
    .join('');
  const cases: [Parameters<typeof sign>[1], string][] = [
    [{ key: write('other.key', keyPem(makeSigner('p-256'))) }, 'does not belong to the certificate in'],
    [{ key: write('rsa.key', keyPem(makeSigner('rsa-2048'))) }, 'does not belong to the certificate in'],
    [{ cert: write('reversed.pem', reversed) }, 'does not belong to the first certificate in'],
    [{ key: write('e.key', keyPem(expired)), cert: write('e.pem', toPem(expired.certificate)) }, 'expired at'],
    [{ key: write('f.key', keyPem(future)), cert: write('f.pem', toPem(future.certificate)) }, 'is not valid before'],
    [{ key: write('junk.key', 'junk') }, 'has no readable private key in PEM'],
    [{ key: files.cert }, 'has no readable private key in PEM'],
    [{ cert: write('junk.pem', 'junk') }, 'has no certificate in PEM'],
    [{ cert: write('cut.pem', toPem(signer.certificate.subarray(9))) }, 'Certificate number 1 in'],
    [{ key: folder.path('nowhere') }, 'does not exist: nothing was done.'],
    [{ cert: folder.path('.') }, "can't be read (EISDIR)"],
    [encipherment, 'its key is not for signing documents. Nothing was signed.'],
    [ed25519, 'is ed25519, but this command signs with RSA or ECDSA only'],
  ];
  for (const [pair, sentence] of cases) expect(await refused(LEFT, pair)).toContain(sentence);
  // The program that it ends with is to be copied.
  const gost = { cert: write('gost.pem', toPem(makeGostSigner('streebog256').certificate)) };
  for (const [pair, options] of [
    [gost, '-md md_gost12_256 -engine gost'],
    [{ key: 'pkcs11:object=signer' }, '-md sha256 -engine pkcs11 -keyform engine'],
  ] as const)
    expect(await sign(LEFT, pair)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(`is another: nothing was signed. .* --with 'openssl cms .* ${options} -signer `),
    });
  await expectNothingSigned(LEFT);
});

test('sign --with refuses a program that makes no usable signature, and uploads nothing', async () => {
  const other = folder.write('other.pdf', 'another document');
  const openssl = `openssl cms -sign -binary -outform DER -signer ${quoted(files.cert)} -inkey ${quoted(files.key)} -out {signature}`;
  const cases: [string, string][] = [
    ['cp {document} {folder}/a', 'cannot be used: nothing was uploaded. It cannot be read as CMS SignedData'],
    [
      `sh -c 'cp "$1" "$1.sgn" && cp "$1" "$1.log"' sh {document}`,
      'The program wrote document.pdf.log, document.pdf.sgn of document',
    ],
    ['true {document}', 'The program wrote no signature of document'],
    ['', '--with has no {document} after the program: nothing was signed.'],
    ["sign {document} '{signature}", '--with has a quote that is not closed: nothing was signed.'],
    ['sign {document} {signature} \\', '--with has a quote that is not closed: nothing was signed.'],
    ['sign {document} > {signature}', 'without a shell, and > needs one'],
    ['nowhere {document} {signature}', 'The program nowhere could not be started (there is no such program)'],
    [`${quoted(folder.write('script', '#!/bin/sh'))} {document} {signature}`, '(it is not executable: chmod +x)'],
    ['test {document} = {signature}', 'The program test ended with exit code 1 for document'],
    ['test {document} != {signature}', 'The program wrote no signature of document'],
    [
      'cp {document} {signature}',
      'cannot be used: nothing was uploaded. It cannot be read as CMS SignedData: it is a file of the format PDF.',
    ],
    [
      `sh -c ${quoted(`cat "$2" > /dev/null && ${openssl.replace('{signature}', '"$1"')} -in ${quoted(other)}`)} sh {signature} {document}`,
      'It is not the signature of this document.',
    ],
    [
      `sh -c ${quoted(`echo changed >> "$2" && ${openssl.replace('{signature}', '"$1"')} -in "$2"`)} sh {signature} {document}`,
      'The program changed document',
    ],
    [
      `sh -c ${quoted(`base64 "$2" | ${openssl.replace('{signature}', '"$1"')}`)} sh {signature} {document}`,
      'It is the signature of another form (Base64) of this document. Download the document again',
    ],
    [`${openssl} -nodetach -in {document}`, 'It contains the document. Make a detached signature.'],
  ];
  for (const [program, sentence] of cases) {
    const { code, stdout, stderr } = await commandLine(LEFT, '--with', program);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(sentence) });
  }
  await expectNothingSigned(LEFT);
});

test('sign refuses an encrypted key without its passphrase or with a wrong one, and does not print the passphrase', async () => {
  const key = folder.write('encrypted.key', keyPem(signer, 'right'));
  expect(await refused(LEFT, { key })).toContain('environment variable LOAN_ORDERS_KEY_PASSPHRASE');
  const wrong = await refused(LEFT, { key }, { LOAN_ORDERS_KEY_PASSPHRASE: 'mistaken' });
  expect(wrong).toContain('the passphrase is wrong, or the file is damaged');
  expect(wrong).not.toContain('mistaken');
  await expectNothingSigned(LEFT);
});

test('sign signs nothing if one document is not as to-sign.json says', async () => {
  const [first, second] = await waiting('changed');
  const page = await world.stagedJson<object>('changed', 'to-sign.json');
  const signature = 's3://another-bucket/orders/changed/signatures/x.sig';
  for (const [change, sentence] of [
    [{ versionId: first?.versionId }, 'that to-sign.json names is gone from staging'],
    [{ sha256: first?.sha256 }, 'does not have the SHA-256 that to-sign.json gives'],
    [{ signature }, 'which is not in the intake bucket of this stage'],
  ] as const) {
    await world.stage('changed', 'to-sign.json', { ...page, documents: [first, { ...second, ...change }] });
    expect(await refused('changed')).toContain(sentence);
  }
  await world.removeStaged(second);
  await world.stage('changed', 'to-sign.json', page);
  expect(await refused('changed')).toContain('is gone from staging');
  await expectNothingSigned('changed');
});
