import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { DOCUMENT, MANIFEST, MANIFEST_SIGNATURE, openEvidence, verify } from '../helpers/evidence-archive.ts';
import { submit } from '../helpers/packages.ts';
import { orderAtService } from '../helpers/signatures.ts';
import { type Files, pack, rechained } from '../helpers/tampered-archive.ts';

const { world, paths, original } = await openEvidence();

/** The archive with another document, and a manifest that fits. Its signature is missing. */
function forged(): Files {
  const bytes = Buffer.from('a document that nobody sent');
  const files = rechained(new Map(original).set(DOCUMENT, bytes), ({ files: listed }) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    Object.assign(listed.find(({ path }) => path === DOCUMENT) ?? {}, { size: bytes.length, sha256 });
  });
  files.delete(MANIFEST_SIGNATURE);
  return files;
}

/** The service names this as a document to sign, in an order that KMS signs. */
async function nameAsDocument(orderRef: string, content: Buffer) {
  world.simulator.settings.documentTemplates = [{ fileId: 'document', content }];
  await submit(world, orderRef, { signing: 'kms' });
  return world.untilEnd(orderRef, { signing: false });
}

test('a manifest that the service has signed as a document signs no archive', async () => {
  const files = forged();
  expect(await nameAsDocument('named', files.get(MANIFEST) ?? Buffer.alloc(0))).toMatchObject({ status: 'CLOSED' });
  const [sent] = (await orderAtService(world, 'named')).signatures;
  await pack(paths.tampered, files.set(MANIFEST_SIGNATURE, Buffer.from(sent?.file.bytes ?? '')));
  const found = await verify(paths.tampered, '--cert', paths.authority);
  expect(found).toMatchObject({ code: 1, faults: [`${MANIFEST_SIGNATURE}: manifest signature wrong`] });
});

test.each(['loan-orders-evidence/1\n{', 'loan-orders-evidence/2'])(
  'a document that begins as evidence does is neither staged nor signed, and the order says so: %j',
  async (start) => {
    const orderRef = start.endsWith('{') ? 'with-line' : 'with-other-line';
    const record = await nameAsDocument(orderRef, Buffer.from(`${start} and more`));
    expect(record.failure).toMatchObject({
      error: 'UnexpectedResponse',
      cause: expect.stringContaining(
        'document number 1 to sign begins as evidence does ("loan-orders-evidence/", or the signed attributes of a signature), ' +
          'so that its signature could pass for one of evidence. ' +
          'It was not staged, and nobody is asked to sign it. Ask the order service what it is, then retry.',
      ),
    });
    expect((await world.stagedKeys(orderRef)).filter((key) => key.startsWith('to-sign'))).toEqual([]);
  },
);
