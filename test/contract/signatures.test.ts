import { makeSigner } from '@business-loan-orders/detached-signatures/certificates';
import { beforeEach, expect, test } from 'vitest';
import { asUnknown, signature, unknown } from '../../packages/detached-signatures/test/helpers/cms.ts';
import { Partner } from '../helpers/partner.ts';

const partner = Partner.forEachTest();
let orderId: string;
let fileIds: string[];
let document: Buffer;

beforeEach(async () => {
  ({ orderId, fileIds } = await partner.toSignature());
  document = await download();
});

const download = async (position = 0): Promise<Buffer> =>
  (await partner.call('GET', `/v1/orders/${orderId}/documents/${fileIds[position]}/download`)).body;
const upload = (content: Buffer | string) => partner.uploadSignature(orderId, fileIds[0] ?? '', content);
const signatures = () => partner.simulator.order(orderId)?.signatures;

const signatureOver = (over: Buffer) => signature(makeSigner('p-256'), { over });

test.each<[string, () => Promise<Buffer>, string]>([
  [
    'of another document of the order',
    async () => signatureOver(await download(1)),
    'It is not the signature of this document. It signs the digest ',
  ],
  ['that was cut short', async () => (await signatureOver(document)).subarray(0, -20), 'cannot be read'],
])('a signature %s is refused', async (_what, make, message) => {
  const answer = await upload(await make());
  expect([answer.status, answer.body.error.code]).toEqual([422, 'signature_invalid']);
  expect(answer.body.error.message).toContain(message);
  expect((await partner.accept(orderId)).body.error.message).toContain(fileIds[0]);
});

test('a signature with a digest that cannot be checked, or of another format, is accepted as opaque', async () => {
  expect((await upload(asUnknown(await signatureOver(document)))).status).toBe(201);
  const note = expect.stringMatching(`The digest algorithm .*${unknown.digest}.* cannot be checked here`);
  expect(signatures()).toMatchObject([{ kind: 'opaque', note }]);
  expect((await upload('a signature of another format')).status).toBe(201);
  expect(signatures()).toMatchObject([{ kind: 'opaque' }, { kind: 'opaque' }]);
});

test('a later signature replaces the one before, and a document has the same bytes at every download', async () => {
  const [first, second] = [await upload('first'), await upload('second')];
  expect(second.body.signatureId).not.toBe(first.body.signatureId);
  const signature = partner.simulator.order(orderId)?.generatedDocuments[0]?.signature;
  expect(signature?.signatureId).toBe(second.body.signatureId);
  expect(signatures()).toHaveLength(2);
  partner.passSeconds(100);
  expect(await download()).toEqual(document);
});
