import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  makeAuthority,
  makeSigner,
  type TestSigner,
  toPem,
} from '@business-loan-orders/detached-signatures/certificates';
import { expect, inject, test } from 'vitest';
import { asUnknown, unknown } from '../../../packages/detached-signatures/test/helpers/cms.ts';
import { commandsIn } from '../../helpers/commands-in.ts';
import { watchMetrics } from '../../helpers/metrics.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { filesToSign, orderAtService, putSignature, rejection, signed } from '../../helpers/signatures.ts';

const ANOTHER_LIST = '../../../packages/detached-signatures/test/gost/files/rsa.crl';
const authority = makeAuthority({ commonName: 'Authority of the stage' });
const environment = { SIGNATURE_GATE: 'off' };
const settings = { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 1 };
const world = await openWorld({ settings, environment });
const { run } = commandsIn(world);
const metrics = watchMetrics(world);

async function waiting(orderRef: string): Promise<string> {
  await world.submit(orderRef);
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
  await put('opaque', fileId, Buffer.alloc(4 * 1024 * 1024 + 1));
  expect(await rejection(world, 'opaque', fileId)).toContain('setting signing.largestSignatureBytes');
  await put('opaque', fileId, 'a signature of another format');
  expect(await world.untilEnd('opaque', { signing: false })).toMatchObject(ended);
  expect((await orderAtService(world, 'opaque')).signatures).toMatchObject([{ kind: 'opaque' }]);
});

test('with a strict gate, only the named signers with a certificate of a trusted authority may sign, and show says who did', async () => {
  const file = join(inject('temporaryDirectory'), 'signature-authorities.pem');
  await writeFile(file, toPem(authority.certificate));
  const named = makeSigner('p-256', { authority, commonName: 'Ivan Petrov' });
  const { fingerprint256 } = new X509Certificate(named.certificate);
  world.aws.useFunctionVariables({
    SIGNATURE_GATE: 'strict',
    SIGNATURE_AUTHORITIES_FILE: file,
    ALLOWED_SIGNERS: JSON.stringify(['7707083893', fingerprint256]),
  });
  const fileId = await waiting('strict');
  const by = (signer: TestSigner) => signed(world, 'strict', fileId, signer);
  const wrongs: [Uint8Array, string][] = [
    [asUnknown(await by(named)), 'This stage does not accept such a signature.'],
    [await by(makeSigner('p-256')), 'not issued by an authority that this stage trusts'],
    [await by(makeSigner('p-256', { authority })), 'signing.signers does not name the signer'],
  ];
  for (const [signature, problem] of wrongs) {
    await put('strict', fileId, signature);
    expect(await rejection(world, 'strict', fileId)).toContain(problem);
  }
  expect(await world.record('strict')).toMatchObject({ waitingFor: 'signatures' });
  await put('strict', fileId, await by(named));
  expect(await world.untilEnd('strict', { signing: false })).toMatchObject(ended);
  expect((await run('show', 'strict')).stdout).toMatch(/upload-signature.* signed by Ivan Petrov/);
});

test('a stage that accepts what it cannot check, and has no list of the revoked, sends it, and says so to the signer, in the timeline, in show and as metrics', async () => {
  world.aws.useFunctionVariables({
    SIGNATURE_GATE: 'check',
    SIGNATURES_UNCHECKED: 'accept',
    REVOCATION_LISTS_FILE: fileURLToPath(new URL(ANOTHER_LIST, import.meta.url)),
  });
  const fileId = await waiting('unchecked');
  await put('unchecked', fileId, asUnknown(await signed(world, 'unchecked', fileId)));
  const why = expect.stringContaining(unknown.digest);
  const page = { fileId, note: why };
  expect(await world.stagedJson('unchecked', `signatures-unchecked/${fileId}.json`)).toMatchObject(page);
  expect(await world.untilEnd('unchecked', { signing: false })).toMatchObject(ended);
  expect(await world.told('unchecked', 'A signature is passed on unchecked')).toMatchObject([{ document: 1, why }]);
  expect(metrics.values('SignaturesUnchecked')).toEqual([1]);
  expect(metrics.values('RevocationUnknown')).toEqual([1]);
  expect((await run('show', 'unchecked')).stdout).toMatch(/upload-signature.* NOT CHECKED: The digest algorithm/);
});
