import { expect, test } from 'vitest';
import { bringDeadline } from '../../helpers/awaited.ts';
import { answer, downloading, inject, removeFaults, signing } from '../../helpers/faults.ts';
import { NO_OFFERS, SIGNATURES_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { filesToSign, putSignature, signed, submitToSign } from '../../helpers/signatures.ts';
import { DAY } from '../../helpers/world.ts';

const world = await openWorld({ settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 1 } });

/** Uploads a good signature of each of these files. */
async function sign(orderRef: string, ...fileIds: (string | undefined)[]): Promise<void> {
  for (const fileId of fileIds) {
    await putSignature(world, orderRef, fileId ?? '', await signed(world, orderRef, fileId ?? ''));
  }
}

const uploads = (orderRef: string) => world.calls(orderRef, signing);

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

test('an order without all signatures at the deadline fails with SignaturesOverdue and waits for an operator', async () => {
  await submitToSign(world, 'overdue');
  await bringDeadline(world, 'overdue');
  const order = await world.untilEnd('overdue', { signing: false });
  expect(order).toMatchObject({
    status: 'WAITING_FOR_SIGNATURE',
    waitingFor: 'operator',
    failure: { error: 'SignaturesOverdue' },
  });
  expect(await world.stagedJson('overdue', 'status.json')).toMatchObject({ waitingFor: 'operator' });
});
