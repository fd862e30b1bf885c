import { Hash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { makeAuthority, makeSigner, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { expect, test, vi } from 'vitest';
import { ALWAYS, MANIFEST_SIGNATURE } from '../../../../commands/evidence/contents.ts';
import { verify } from '../../../../commands/evidence/verify.ts';
import { copies } from '../../../../packages/detached-signatures/test/helpers/hostile-certificates.ts';
import { hostileSignatures } from '../../../../packages/detached-signatures/test/helpers/hostile-signatures.ts';
import { filesOf, pack, packSmall, type SmallArchive, signedByAnother } from '../../../helpers/packed-archive.ts';
import { keyPem, openFolder, run } from '../../../helpers/signer-files.ts';

const MB = 1024 * 1024;
const folder = openFolder();
const path = folder.path('archive.zip');

interface Found {
  exitCode: number | undefined;
  faults: { file: string; fault: string }[];
  validSignatures: number;
  notes: string[];
}

/** What the check finds. It may take no more than a second of the processor. */
async function found(trusted?: string): Promise<Found> {
  const before = process.threadCpuUsage();
  const { json, exitCode } = await verify(path, trusted);
  const { user, system } = process.threadCpuUsage(before);
  expect(user + system).toBeLessThan(1_000_000);
  return { ...(json as Omit<Found, 'exitCode'>), exitCode };
}

test('an archive whose signature has many certificates of one name is checked in few steps', async () => {
  const [stranger, trusted] = [makeAuthority({ commonName: 'CA' }), makeAuthority({ commonName: 'CA' })];
  const signer = makeSigner('p-256', { authority: stranger });
  const files = await filesOf(await packSmall(path, { about: { signed: true, writtenAt: new Date().toISOString() } }));
  await pack(path, await signedByAnother(files, signer, copies(stranger, 14)));
  const tried = vi.spyOn(X509Certificate.prototype, 'verify');
  const { faults } = await found(folder.write('trusted.pem', toPem(trusted.certificate)));
  expect(faults).toMatchObject([{ file: MANIFEST_SIGNATURE, fault: 'certificate wrong' }]);
  expect(tried.mock.calls.length).toBeLessThan(100);
});

test('an archive with any hostile signature has a fault, and is checked in less than a second', async () => {
  const files = await filesOf(await packSmall(path, { about: { signed: true } }));
  const trusted = folder.write('trusted.pem', toPem(makeAuthority().certificate));
  for await (const { family, bytes } of hostileSignatures(31, 210)) {
    await pack(path, files.set(MANIFEST_SIGNATURE, bytes));
    expect((await found(trusted)).exitCode, family).toBe(1);
  }
});

/** A detached signature of this text by so many signers. */
async function signatureOf(text: string, signers: number, ...options: string[]): Promise<Buffer> {
  const given = Array.from({ length: signers }, (_, at) => {
    const signer = makeSigner('p-256');
    const cert = folder.write(`${at}.crt`, toPem(signer.certificate));
    return ['-signer', cert, '-inkey', folder.write(`${at}.key`, keyPem(signer))];
  });
  const files = ['-in', folder.write('document', text), '-outform', 'DER', '-out', folder.path('signature')];
  await run('openssl', ['cms', '-sign', '-binary', ...options, ...given.flat(), ...files]);
  return readFileSync(folder.path('signature'));
}

/** An archive of documents, each with so many copies of a signature. */
function packSigned(text: string, signature: Buffer, documents: number, signaturesOfEach: number) {
  const signatures = (one: number) =>
    Array.from({ length: signaturesOfEach }, (_, at): [string, Buffer] => [`${one}-${at}.p7s`, signature]);
  const more = Array.from({ length: documents }, (_, one): [string, Buffer][] => [
    [`document-${one}`, Buffer.from(text)],
    ...signatures(one),
  ]).flat();
  const listed: SmallArchive['listed'] = (files) =>
    files.map((file) => {
      const [document] = /^\d+(?=-\d+\.p7s$)/.exec(file.path) ?? [];
      const signs = { document: `document-${document}`, sentAt: new Date().toISOString() };
      return { ...file, ...(document && { signs }) };
    });
  return packSmall(path, { more, listed });
}

test.each([[[]], [['-noattr']]])(
  'a document that many signatures name is not read for each of them, if they are made with %j',
  async (options) => {
    await packSigned('x'.repeat(2 * MB), await signatureOf('other', 1, ...options), 1, 300);
    expect((await found()).faults).toMatchObject(Array(20).fill({ fault: 'detached signature wrong' }));
  },
);

test('an archive has a budget of signers, and one for each document; a document is hashed once for them', async () => {
  const text = 'x'.repeat(MB);
  await packSigned(text, await signatureOf(text, 16), 20, 4);
  const hashed = vi.spyOn(Hash.prototype, 'update');
  const { faults, validSignatures, notes } = await found();
  const read = hashed.mock.calls.filter(([chunk]) => chunk.length > 100_000);
  hashed.mockRestore();
  expect({ faults, validSignatures }).toEqual({ faults: [], validSignatures: 25 });
  expect(notes.filter((note) => note.endsWith('its document has more than 20 signatures.'))).toHaveLength(24);
  expect(notes.filter((note) => note.endsWith('the archive has more than 400 signatures.'))).toHaveLength(31);
  // 20 documents are hashed for the manifest, and 13 of them for their signatures.
  expect(read.reduce((bytes, [chunk]) => bytes + chunk.length, 0)).toBe(33 * MB);
});

test('no signature is checked once the manifest lists a file twice', async () => {
  const signature = await signatureOf('x', 1);
  const signs = { document: ALWAYS[0] ?? '', sentAt: new Date().toISOString() };
  const listed: SmallArchive['listed'] = (files) => files.concat(files.slice(-1)).map((file) => ({ ...file, signs }));
  await packSmall(path, { more: [['x.p7s', signature]], listed });
  expect(await found()).toMatchObject({ faults: [{ fault: 'manifest unreadable' }], validSignatures: 0, notes: [] });
});
