import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { makeSigner } from '../../../packages/detached-signatures/certificates.ts';
import { bringDeadline } from '../../helpers/awaited.ts';
import { answer, downloading, inject, removeFaults } from '../../helpers/faults.ts';
import { NO_OFFERS, SIGNATURES_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { filesToSign, putSignature, signed, waitsForSignatures } from '../../helpers/signatures.ts';
import { DAY } from '../../helpers/world.ts';

const settings = { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 1 };
const world = await openWorld({ settings });
beforeEach(() => {
  Object.assign(world.simulator.settings, settings);
});

/** Uploads a good signature of each of these files. */
async function sign(orderRef: string, ...fileIds: (string | undefined)[]): Promise<void> {
  for (const fileId of fileIds) {
    await putSignature(world, orderRef, fileId ?? '', await signed(world, orderRef, fileId ?? ''));
  }
}

const uploads = async (orderRef: string) =>
  (await world.calls(orderRef)).filter(({ route }) => route === '/v1/orders/{orderId}/documents/sign');

test('signatures may arrive over days and in any order, and the last one wakes the order', async () => {
  world.simulator.settings.documentsToSign = 3;
  await submit(world, 'days');
  const [first, second, third] = await filesToSign(world, 'days');
  for (const fileId of [third, first]) {
    await sign('days', fileId);
    world.clock.advanceTo(world.clock.now() + 2 * DAY);
    await world.aws.settle();
    expect(await uploads('days')).toEqual([]);
  }
  await sign('days', second);
  expect(await world.untilEnd('days')).toMatchObject({ status: 'CLOSED' });
  const sent = (await uploads('days')).map(
    ({ requestBody }) => requestBody?.kind === 'multipart' && requestBody.fields.fileId,
  );
  expect(sent.sort()).toEqual([first, second, third].sort());
});

test('signatures that arrive before the order waits for them are used', async () => {
  await submit(world, 'early');
  const { orderId = '' } = await world.until('early', (order) => order.orderId !== undefined);
  // The service has made the documents, but the execution has not read the order since.
  const { generatedDocuments } = await world.untilAtService(orderId, (order) => order.generatedDocuments.length > 0);
  expect(await world.record('early')).toMatchObject({ status: 'IN_WORK' });
  await sign('early', ...generatedDocuments.map(({ fileId }) => fileId));
  expect(await world.untilEnd('early', { signing: false })).toMatchObject({ status: 'CLOSED' });
});

test('an empty signature and a signature of an unknown file are rejected, and the order keeps waiting', async () => {
  world.simulator.settings.documentsToSign = 2;
  await submit(world, 'answered');
  const [first = '', ...others] = await filesToSign(world, 'answered');
  await world.put('answered', `signatures/${first}.sig`, '');
  await sign('answered', ...others);
  await world.put('answered', 'signatures/no%2Fsuch%20file.sig', 'bytes');
  await world.aws.settle();
  const answers = (await world.stagedKeys('answered')).filter((key) => key.startsWith('signatures-rejected/'));
  expect(answers.sort()).toEqual(
    [`signatures-rejected/${first}.json`, 'signatures-rejected/no%2Fsuch%20file.json'].sort(),
  );
  expect(await world.record('answered')).toMatchObject({ waitingFor: 'signatures' });
  await world.put('answered', `signatures/${first}.p7s`, 'bytes');
  await world.aws.settle();
  expect(await world.stagedKeys('answered')).toContain(`signatures-rejected/${first}.p7s.json`);
  await world.sign();
  expect(await world.untilEnd('answered')).toMatchObject({ status: 'CLOSED' });
  expect(await world.stagedKeys('answered')).not.toContain(`signatures-rejected/${first}.json`);
});

test('a signature is found although its fileId is percent-encoded in another way', async () => {
  world.simulator.settings.documentsToSign = 2;
  await submit(world, 'encoded');
  for (const fileId of await filesToSign(world, 'encoded')) {
    await world.put(
      'encoded',
      `signatures/${fileId.replaceAll('-', '%2D')}.sig`,
      await signed(world, 'encoded', fileId),
    );
  }
  expect(await world.untilEnd('encoded', { signing: false })).toMatchObject({ status: 'CLOSED' });
});

test('a signature that the service refuses is reported to the signer, and a retry sends the corrected one', async () => {
  world.simulator.settings.documentsToSign = 2;
  await submit(world, 'refused');
  const files = await filesToSign(world, 'refused');
  const sizeLimit = world.simulator.settings.largestSignatureBytes;
  world.simulator.settings.largestSignatureBytes = 100;
  await sign('refused', ...files);
  const order = await world.untilEnd('refused', { signing: false });
  expect(order).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  const rejections = (await world.stagedKeys('refused')).filter((key) => key.startsWith('signatures-rejected/'));
  expect(rejections.length).toBeGreaterThan(0);
  world.simulator.settings.largestSignatureBytes = sizeLimit;
  await sign('refused', ...files);
  await world.startNext('refused');
  expect(await world.untilEnd('refused', { signing: false })).toMatchObject({ status: 'CLOSED' });
});

test('a refused download of a document for comparison rejects no signature', async () => {
  await submit(world, 'compare-refused');
  const files = await filesToSign(world, 'compare-refused');
  inject(world.simulator, 'before', downloading, answer(404), files.length);
  await sign('compare-refused', ...files);
  const { failure } = await world.untilEnd('compare-refused', { signing: false });
  expect(failure).toMatchObject({ error: 'Rejected', cause: expect.stringContaining('Download document') });
  expect((await world.stagedKeys('compare-refused')).filter((key) => key.startsWith('signatures-'))).toEqual([]);
  expect(await uploads('compare-refused')).toEqual([]);
  removeFaults(world.simulator);
  await world.startNext('compare-refused');
  expect(await world.untilEnd('compare-refused', { signing: false })).toMatchObject({ status: 'CLOSED' });
});

test('when a signature is replaced before the last one arrives, the service gets the replacement', async () => {
  world.simulator.settings.documentsToSign = 3;
  await submit(world, 'replaced');
  const [first = '', second, third] = await filesToSign(world, 'replaced');
  await sign('replaced', first);
  const right = await signed(world, 'replaced', first, makeSigner('p-384'));
  await putSignature(world, 'replaced', first, right);
  await sign('replaced', second, third);
  await world.untilEnd('replaced', { signing: false });
  const sent = (await uploads('replaced')).map(
    ({ requestBody }) => requestBody?.kind === 'multipart' && requestBody.files[0]?.sha256,
  );
  expect(sent).toHaveLength(3);
  expect(sent).toContain(createHash('sha256').update(right).digest('hex'));
});

test('an order without all signatures at the deadline fails with SignaturesOverdue and waits for an operator', async () => {
  await submit(world, 'overdue');
  await world.until('overdue', waitsForSignatures, { signing: false });
  await bringDeadline(world, 'overdue');
  const order = await world.untilEnd('overdue', { signing: false });
  expect(order).toMatchObject({
    status: 'WAITING_FOR_SIGNATURE',
    waitingFor: 'operator',
    failure: { error: 'SignaturesOverdue' },
  });
  expect(await world.stagedJson('overdue', 'status.json')).toMatchObject({ waitingFor: 'operator' });
});

test('when the service asks for the same file with other content, the old signature does not count', async () => {
  await submit(world, 'changed', { offers: { choose: 'manual' } });
  const files = await filesToSign(world, 'changed');
  await sign('changed', ...files);
  let reads = 0;
  // After the first accept one read says IN_WORK. Then the service asks for the same files with other content.
  world.simulator.hooks.before = async (call, _request, reply) => {
    if (call.method !== 'GET' || (await uploads('changed')).length < files.length) return;
    if (call.path.endsWith('/download')) await reply.code(200).type('application/pdf').send('%PDF changed');
    if (call.path.endsWith('/download')) return;
    reads += 1;
    const documents = files.map((fileId) => ({ fileId }));
    await reply
      .code(200)
      .send({ status: reads === 1 ? 'IN_WORK' : 'WAITING_FOR_SIGNATURE', documents, pollAfterSeconds: 2 });
  };
  await world.until(
    'changed',
    ({ signaturesRound, waitingFor }) => signaturesRound?.number === 2 && waitingFor === 'signatures',
    {
      signing: false,
    },
  );
  expect(await uploads('changed')).toHaveLength(files.length);
  delete world.simulator.hooks.before;
});
