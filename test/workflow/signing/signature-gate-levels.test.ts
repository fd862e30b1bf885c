import { afterAll, expect, test } from 'vitest';
import { makeAuthority, makeSigner, toPem } from '../../../local/people/certificates.ts';
import { asGost } from '../../helpers/cms.ts';
import { submit } from '../../helpers/packages.ts';
import {
  filesToSign,
  orderAtService,
  putSignature,
  rejection,
  signed,
  waitsForSignatures,
} from '../../helpers/signatures.ts';
import { World } from '../../helpers/world.ts';

const authority = makeAuthority({ commonName: 'Authority of the stage' });
const [off, strict] = await Promise.all([
  World.start({ settings: { documentsToSign: 1 }, environment: { SIGNATURE_GATE: 'off' } }),
  World.start({
    settings: { documentsToSign: 1 },
    environment: { SIGNATURE_GATE: 'strict', SIGNATURE_AUTHORITIES: toPem(authority.certificate) },
  }),
]);
afterAll(async () => {
  await off.close();
  await strict.close();
});

/** Submits the order, and lets time pass until it waits for its one signature. */
async function waiting(world: World, orderRef: string): Promise<string> {
  await submit(world, orderRef);
  return (await filesToSign(world, orderRef))[0] ?? '';
}

async function put(world: World, orderRef: string, fileId: string, signature: string | Uint8Array): Promise<void> {
  await putSignature(world, orderRef, fileId, signature);
  await world.aws.settle();
}

const ended = { status: 'CLOSED', generation: 1 };

test('with the gate off, any bytes are sent unless there are none or too many', async () => {
  const fileId = await waiting(off, 'opaque');
  await put(off, 'opaque', fileId, '');
  expect(await rejection(off, 'opaque', fileId)).toContain('It is empty.');
  await put(off, 'opaque', fileId, Buffer.alloc(1024 * 1024 + 1));
  expect(await rejection(off, 'opaque', fileId)).toContain('At most 1048576 are allowed');
  await put(off, 'opaque', fileId, 'a signature of another format');
  expect(await off.untilEnd('opaque', { signing: false })).toMatchObject(ended);
  expect((await orderAtService(off, 'opaque')).signatures).toMatchObject([{ kind: 'opaque' }]);
});

test('with the gate off, a signature from before its document changed is not sent for the new document', async () => {
  const fileId = await waiting(off, 'changed');
  const [document] = (await orderAtService(off, 'changed')).generatedDocuments;
  if (document) document.content = Buffer.from('%PDF-1.7 another amount');
  await put(off, 'changed', fileId, 'a signature of another format');
  const failed = await off.untilEnd('changed', { signing: false });
  expect(failed.failure).toMatchObject({ error: 'DocumentChanged' });
  await off.startNext('changed');
  await off.until('changed', waitsForSignatures, { signing: false });
  expect(await rejection(off, 'changed', fileId)).toContain('of an earlier version of this document');
  await put(off, 'changed', fileId, 'a new signature of another format');
  expect(await off.untilEnd('changed', { signing: false })).toMatchObject({ status: 'CLOSED', generation: 2 });
});

test('with a strict gate, a signature that cannot be checked or has a certificate of an unknown authority is rejected', async () => {
  const fileId = await waiting(strict, 'strict');
  const known = makeSigner('rsa-2048', { authority });
  await put(strict, 'strict', fileId, asGost(await signed(strict, 'strict', fileId, known)));
  expect(await rejection(strict, 'strict', fileId)).toContain('This stage does not accept such a signature.');
  await put(strict, 'strict', fileId, await signed(strict, 'strict', fileId, makeSigner('rsa-2048')));
  expect(await rejection(strict, 'strict', fileId)).toContain('not issued by an authority that this stage trusts');
  expect(await strict.record('strict')).toMatchObject({ waitingFor: 'signatures' });
  await put(strict, 'strict', fileId, await signed(strict, 'strict', fileId, known));
  expect(await strict.untilEnd('strict', { signing: false })).toMatchObject(ended);
});
