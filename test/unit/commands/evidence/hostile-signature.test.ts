import { createHash, sign, X509Certificate } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { MANIFEST, MANIFEST_SIGNATURE, signedBytes } from '../../../../commands/evidence/manifest.ts';
import { verify } from '../../../../commands/evidence/verify.ts';
import { createDetachedSignature } from '../../../../functions/shared/cms/create-signature.ts';
import { makeAuthority, makeSigner, toPem } from '../../../../local/people/certificates.ts';
import { copies } from '../../../helpers/hostile-certificates.ts';
import { hostileSignatures } from '../../../helpers/hostile-signatures.ts';
import { openFolder } from '../../../helpers/signer-files.ts';
import { packSmall } from '../../../helpers/small-archive.ts';
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
