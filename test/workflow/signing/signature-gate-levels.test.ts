import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAuthority, makeSigner, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { expect, inject, test } from 'vitest';
import { asUnknown } from '../../../packages/detached-signatures/test/helpers/cms.ts';
import { NO_OFFERS, SIGNATURES_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { filesToSign, orderAtService, putSignature, rejection, signed } from '../../helpers/signatures.ts';

const authority = makeAuthority({ commonName: 'Authority of the stage' });
const environment = { SIGNATURE_GATE: 'off' };
const settings = { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 1 };
const world = await openWorld({ settings, environment });

/** Submits the order, and lets time pass until it waits for its one signature. */
async function waiting(orderRef: string): Promise<string> {
  await submit(world, orderRef);
  return (await filesToSign(world, orderRef))[0] ?? '';
}

async function put(orderRef: string, fileId: string, signature: string | Uint8Array): Promise<void> {
  await putSignature(world, orderRef, fileId, signature);
  await world.aws.settle();
}

const ended = { status: 'CLOSED', generation: 1 };

test('with the gate off, any bytes are sent unless there are none or too many', async () => {
  const fileId = await waiting('opaque');
  await put('opaque', fileId, '');
  expect(await rejection(world, 'opaque', fileId)).toContain('It is empty.');
  await put('opaque', fileId, Buffer.alloc(1024 * 1024 + 1));
  expect(await rejection(world, 'opaque', fileId)).toContain('At most 1048576 are allowed');
  await put('opaque', fileId, 'a signature of another format');
  expect(await world.untilEnd('opaque', { signing: false })).toMatchObject(ended);
  expect((await orderAtService(world, 'opaque')).signatures).toMatchObject([{ kind: 'opaque' }]);
});

test('with a strict gate, a signature that cannot be checked or has a certificate of an unknown authority is rejected', async () => {
  const file = join(inject('temporaryDirectory'), 'signature-authorities.pem');
  await writeFile(file, toPem(authority.certificate));
  world.aws.useFunctionVariables({ SIGNATURE_GATE: 'strict', SIGNATURE_AUTHORITIES_FILE: file });
  const fileId = await waiting('strict');
  const known = makeSigner('p-256', { authority });
  await put('strict', fileId, asUnknown(await signed(world, 'strict', fileId, known)));
  expect(await rejection(world, 'strict', fileId)).toContain('This stage does not accept such a signature.');
  await put('strict', fileId, await signed(world, 'strict', fileId, makeSigner('p-256')));
  expect(await rejection(world, 'strict', fileId)).toContain('not issued by an authority that this stage trusts');
  expect(await world.record('strict')).toMatchObject({ waitingFor: 'signatures' });
  await put('strict', fileId, await signed(world, 'strict', fileId, known));
  expect(await world.untilEnd('strict', { signing: false })).toMatchObject(ended);
});
