import { expect, test } from 'vitest';
import { openWorld } from '../helpers/open-world.ts';
import { submit } from '../helpers/packages.ts';
import { DAY } from '../helpers/world.ts';

const world = await openWorld({ settings: { documentsToSign: 3 } });

const waitsForSignatures = ({ waitingFor }: { waitingFor: string }) => waitingFor === 'signatures';

async function fileIds(orderRef: string): Promise<string[]> {
  const { documents } = await world.stagedJson<{ documents: { fileId: string }[] }>(orderRef, 'to-sign.json');
  return documents.map(({ fileId }) => fileId);
}

const uploads = async (orderRef: string) =>
  (await world.calls(orderRef)).filter(({ route }) => route === '/v1/orders/{orderId}/documents/sign');

test('signatures come over days, in any order; the last one wakes the order', async () => {
  await submit(world, 'days');
  await world.until('days', waitsForSignatures, { signing: false });
  const [first, second, third] = await fileIds('days');
  for (const fileId of [third, first]) {
    await world.put('days', `signatures/${fileId}.sig`, `signature of ${fileId}`);
    world.clock.advanceTo(world.clock.now() + 2 * DAY);
    await world.aws.settle();
    expect(await uploads('days')).toEqual([]);
  }
  await world.put('days', `signatures/${second}.sig`, `signature of ${second}`);
  expect(await world.untilEnd('days')).toMatchObject({ status: 'CLOSED' });
  const sent = (await uploads('days')).map(
    ({ requestBody }) => requestBody?.kind === 'multipart' && requestBody.fields.fileId,
  );
  expect(sent.sort()).toEqual([first, second, third].sort());
});

test('signatures that are there before the order waits for them are used', async () => {
  await submit(world, 'early');
  const { orderId = '' } = await world.until('early', ({ status }) => status === 'WAITING_FOR_DOCUMENTS');
  // The service has made the documents, but the execution has not read of them yet.
  const { generatedDocuments } = await world.untilAtService(orderId, (order) => order.generatedDocuments.length > 0);
  expect(await world.record('early')).toMatchObject({ status: 'IN_WORK' });
  for (const { fileId } of generatedDocuments) await world.put('early', `signatures/${fileId}.sig`, 'early signature');
  expect(await world.untilEnd('early', { signing: false })).toMatchObject({ status: 'CLOSED' });
});

test('an empty signature and one for an unknown file are answered; the order goes on waiting', async () => {
  await submit(world, 'answered');
  await world.until('answered', waitsForSignatures, { signing: false });
  const [first = '', ...others] = await fileIds('answered');
  await world.put('answered', `signatures/${first}.sig`, '');
  for (const fileId of others) await world.put('answered', `signatures/${fileId}.sig`, 'bytes');
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

test('a fileId that is percent-encoded in another way names the same signature', async () => {
  await submit(world, 'encoded');
  await world.until('encoded', waitsForSignatures, { signing: false });
  for (const fileId of await fileIds('encoded')) {
    await world.put('encoded', `signatures/${fileId.replaceAll('-', '%2D')}.sig`, 'bytes');
  }
  expect(await world.untilEnd('encoded', { signing: false })).toMatchObject({ status: 'CLOSED' });
});

test('a signature that the service refuses is told to the signer; a good one and a retry go on', async () => {
  await submit(world, 'refused');
  await world.until('refused', waitsForSignatures, { signing: false });
  const files = await fileIds('refused');
  const sizeLimit = world.simulator.settings.largestSignatureBytes;
  for (const fileId of files) await world.put('refused', `signatures/${fileId}.sig`, 'x'.repeat(sizeLimit + 1));
  const order = await world.untilEnd('refused', { signing: false });
  expect(order).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  const told = (await world.stagedKeys('refused')).filter((key) => key.startsWith('signatures-rejected/'));
  expect(told.length).toBeGreaterThan(0);
  for (const fileId of files) await world.put('refused', `signatures/${fileId}.sig`, 'small');
  await world.startNext('refused');
  expect(await world.untilEnd('refused', { signing: false })).toMatchObject({ status: 'CLOSED' });
});

test('a signature replaced before the last one arrives is replaced at the service', async () => {
  await submit(world, 'replaced');
  await world.until('replaced', waitsForSignatures, { signing: false });
  const [first, second, third] = await fileIds('replaced');
  await world.put('replaced', `signatures/${first}.sig`, 'a mistake');
  await world.put('replaced', `signatures/${first}.sig`, 'the right one');
  await world.put('replaced', `signatures/${second}.sig`, 'second');
  await world.put('replaced', `signatures/${third}.sig`, 'third');
  await world.untilEnd('replaced', { signing: false });
  const sent = (await uploads('replaced')).map(
    ({ requestBody }) => requestBody?.kind === 'multipart' && requestBody.files[0]?.size,
  );
  expect(sent.sort()).toEqual(['second'.length, 'the right one'.length, 'third'.length].sort());
});

test('not every signature before the deadline: SignaturesOverdue, visible, nothing lost', async () => {
  await submit(world, 'overdue');
  await world.until('overdue', waitsForSignatures, { signing: false });
  const order = await world.untilEnd('overdue', { signing: false });
  expect(order).toMatchObject({
    status: 'WAITING_FOR_SIGNATURE',
    waitingFor: 'operator',
    failure: { error: 'SignaturesOverdue' },
  });
  expect(await world.stagedJson('overdue', 'status.json')).toMatchObject({ waitingFor: 'operator' });
});

test('the same file asked for again with other content: the old signature does not count', async () => {
  await submit(world, 'changed', { offers: { choose: 'manual' } });
  await world.until('changed', waitsForSignatures, { signing: false });
  const files = await fileIds('changed');
  for (const fileId of files) await world.put('changed', `signatures/${fileId}.sig`, 'first');
  let reads = 0;
  // After the first accept the service is IN_WORK once, then asks for the same files, whose content has changed.
  world.simulator.hooks.before = async (call, _request, reply) => {
    if (call.path.endsWith('/download')) await reply.code(200).type('application/pdf').send('%PDF changed');
    if (call.method !== 'GET' || call.path.endsWith('/download')) return;
    const accepts = (await uploads('changed')).length >= files.length;
    if (!accepts) return;
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
