import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { makeAuthority, makeSigner, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { expect, test, vi } from 'vitest';
import { ALWAYS, MANIFEST_SIGNATURE } from '../../../../commands/evidence/manifest.ts';
import { verify } from '../../../../commands/evidence/verify.ts';
import { copies } from '../../../../packages/detached-signatures/test/helpers/hostile-certificates.ts';
import { hostileSignatures } from '../../../../packages/detached-signatures/test/helpers/hostile-signatures.ts';
import { filesOf, pack, packSmall, type SmallArchive, signedByAnother } from '../../../helpers/packed-archive.ts';
import { keyPem, openFolder, run } from '../../../helpers/signer-files.ts';

const folder = openFolder();
const path = folder.path('archive.zip');

/** What the check finds. */
async function found(trusted?: string) {
  const { json, exitCode } = await verify(path, trusted);
  return { ...(json as { faults: { fault: string }[]; validSignatures: number; notes: string[] }), exitCode };
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

test('an archive with any hostile signature has a fault', async () => {
  const files = await filesOf(await packSmall(path, { about: { signed: true } }));
  const trusted = folder.write('trusted.pem', toPem(makeAuthority().certificate));
  for await (const { family, bytes } of hostileSignatures(31, 25)) {
    await pack(path, files.set(MANIFEST_SIGNATURE, bytes));
    expect((await found(trusted)).exitCode, family).toBe(1);
  }
});

async function signatureOf(text: string): Promise<Buffer> {
  const signer = makeSigner('p-256');
  const cert = folder.write('signer.crt', toPem(signer.certificate));
  const given = ['-signer', cert, '-inkey', folder.write('signer.key', keyPem(signer))];
  const files = ['-in', folder.write('document', text), '-outform', 'DER', '-out', folder.path('signature')];
  await run('openssl', ['cms', '-sign', '-binary', ...given, ...files]);
  return readFileSync(folder.path('signature'));
}

test('of the signatures that name one document, only the first twenty are checked', async () => {
  const signature = await signatureOf('text');
  const signatures = Array.from({ length: 25 }, (_, at): [string, Buffer] => [`${at}.p7s`, signature]);
  const signs = { document: 'document.txt', sentAt: new Date().toISOString() };
  await packSmall(path, {
    more: [['document.txt', Buffer.from('text')], ...signatures],
    listed: (files) => files.map((file) => ({ ...file, ...(file.path.endsWith('.p7s') && { signs }) })),
  });
  const { faults, validSignatures, notes } = await found();
  expect({ faults, validSignatures }).toEqual({ faults: [], validSignatures: 20 });
  expect(notes.filter((note) => note.endsWith('its document has more than 20 signatures.'))).toHaveLength(5);
});

test('no signature is checked once the manifest lists a file twice', async () => {
  const signature = await signatureOf('x');
  const signs = { document: ALWAYS[0] ?? '', sentAt: new Date().toISOString() };
  const listed: SmallArchive['listed'] = (files) => files.concat(files.slice(-1)).map((file) => ({ ...file, signs }));
  await packSmall(path, { more: [['x.p7s', signature]], listed });
  expect(await found()).toMatchObject({ faults: [{ fault: 'manifest unreadable' }], validSignatures: 0, notes: [] });
});
