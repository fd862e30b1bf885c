import { createHash, Hash, sign, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { MANIFEST, MANIFEST_SIGNATURE, signedBytes } from '../../../../commands/evidence/manifest.ts';
import { verify } from '../../../../commands/evidence/verify.ts';
import { makeAuthority, makeSigner, toPem } from '../../../../packages/detached-signatures/certificates.ts';
import { createDetachedSignature } from '../../../../packages/detached-signatures/create-signature.ts';
import { copies } from '../../../../packages/detached-signatures/test/helpers/hostile-certificates.ts';
import { hostileSignatures } from '../../../../packages/detached-signatures/test/helpers/hostile-signatures.ts';
import { keyPem, openFolder, run } from '../../../helpers/signer-files.ts';
import { packSmall, type SmallArchive } from '../../../helpers/small-archive.ts';
import { filesOf, pack } from '../../../helpers/tampered-archive.ts';

const folder = openFolder();
const path = folder.path('archive.zip');

test('an archive whose signature has many certificates of one name is checked in few steps', async () => {
  const [stranger, trusted] = [makeAuthority({ commonName: 'CA' }), makeAuthority({ commonName: 'CA' })];
  const signer = makeSigner('p-256', { authority: stranger });
  const files = await filesOf(await packSmall(path, { about: { signed: true, writtenAt: new Date().toISOString() } }));
  const digest = createHash('sha256')
    .update(signedBytes(files.get(MANIFEST) ?? Buffer.alloc(0)))
    .digest();
  const signature = await createDetachedSignature({
    digest,
    digestAlgorithm: 'sha256',
    keyType: 'ecdsa',
    certificates: [signer.certificate, ...copies(stranger, 14)],
    sign: async (data) => sign('sha256', data, signer.privateKey),
    signingTime: new Date(),
  });
  await pack(path, files.set(MANIFEST_SIGNATURE, Buffer.from(signature)));
  const tried = vi.spyOn(X509Certificate.prototype, 'verify');
  const { json } = await verify(path, folder.write('trusted.pem', toPem(trusted.certificate)));
  expect(json).toMatchObject({ faults: [{ file: MANIFEST_SIGNATURE, fault: 'certificate wrong' }] });
  expect(tried.mock.calls.length).toBeLessThan(100);
});

test('an archive with any hostile signature has a fault, and is checked in less than a second', async () => {
  const files = await filesOf(await packSmall(path, { about: { signed: true } }));
  const trusted = folder.write('trusted.pem', toPem(makeAuthority().certificate));
  for await (const { family, bytes } of hostileSignatures(31, 210)) {
    await pack(path, files.set(MANIFEST_SIGNATURE, bytes));
    const before = process.threadCpuUsage();
    const { exitCode } = await verify(path, trusted);
    const { user, system } = process.threadCpuUsage(before);
    expect(exitCode, family).toBe(1);
    expect(user + system, family).toBeLessThan(1_000_000);
  }
});

const DOCUMENT_BYTES = 1024 * 1024;

/** An archive of documents, each with signatures of 16 signers. */
async function manySigners(documents: number, signaturesOfEach: number): Promise<Required<SmallArchive>['more']> {
  const document = folder.write('document', 'x'.repeat(DOCUMENT_BYTES));
  const signers = Array.from({ length: 16 }, (_, at) => {
    const signer = makeSigner('p-256');
    const cert = folder.write(`${at}.crt`, toPem(signer.certificate));
    return ['-signer', cert, '-inkey', folder.write(`${at}.key`, keyPem(signer))];
  });
  const out = folder.path('signature');
  await run('openssl', ['cms', '-sign', '-binary', ...signers.flat(), '-in', document, '-outform', 'DER', '-out', out]);
  const [content, signature] = [readFileSync(document), readFileSync(out)];
  return Array.from({ length: documents }, (_, one) => [
    [`document-${one}`, content] as [string, Buffer],
    ...Array.from({ length: signaturesOfEach }, (_, at): [string, Buffer] => [`${one}-${at}.p7s`, signature]),
  ]).flat();
}

const withSigns: SmallArchive['listed'] = (files) =>
  files.map((file) => {
    const [document] = /^\d+(?=-\d+\.p7s$)/.exec(file.path) ?? [];
    const signs = { document: `document-${document}`, sentAt: new Date().toISOString() };
    return { ...file, ...(document && { signs }) };
  });

test('an archive has a budget of signers, and one for each document; a document is hashed once for them', async () => {
  await packSmall(path, { more: await manySigners(20, 4), listed: withSigns });
  const hashed = vi.spyOn(Hash.prototype, 'update');
  const { json } = await verify(path, undefined);
  const read = hashed.mock.calls.filter(([chunk]) => chunk.length > 100_000);
  hashed.mockRestore();
  const { faults, validSignatures, notes } = json as { faults: []; validSignatures: number; notes: string[] };
  expect({ faults, validSignatures }).toEqual({ faults: [], validSignatures: 25 });
  expect(notes.filter((note) => note.endsWith('its document has more than 20 signatures.'))).toHaveLength(24);
  expect(notes.filter((note) => note.endsWith('the archive has more than 400 signatures.'))).toHaveLength(31);
  // 20 documents are hashed for the manifest, and 13 of them for their signatures.
  expect(read.reduce((bytes, [chunk]) => bytes + chunk.length, 0)).toBe(33 * DOCUMENT_BYTES);
});

test('no signature is checked once the manifest lists a file twice', async () => {
  const more = await manySigners(1, 1);
  await packSmall(path, { more, listed: (files) => withSigns([...files, ...files.slice(-1)]) });
  const { json } = await verify(path, undefined);
  expect(json).toMatchObject({
    faults: [{ fault: 'name twice' }],
    validSignatures: 0,
    notes: ['No signature was checked: the manifest lists a file more than once.'],
  });
});
