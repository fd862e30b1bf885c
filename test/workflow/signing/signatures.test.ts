import { expect, test } from 'vitest';
import { bringDeadline } from '../../helpers/awaited.ts';
import { answer, downloading, inject, removeFaults, signing } from '../../helpers/faults.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { filesToSign, putSignature, signed } from '../../helpers/signatures.ts';
import { DAY } from '../../helpers/world.ts';

const world = await openWorld({ settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 1 } });

async function sign(orderRef: string, ...fileIds: (string | undefined)[]): Promise<void> {
  for (const fileId of fileIds)
    await putSignature(world, orderRef, fileId ?? '', await signed(world, orderRef, fileId ?? ''));
}

const uploads = (orderRef: string) => world.calls(orderRef, signing);

test('signatures may arrive over days and in any order, others are rejected, and the last one wakes the order', async () => {
  world.simulator.settings.documentsToSign = 3;
  await world.submit('days');
  const [first = '', second = '', third = ''] = await filesToSign(world, 'days');
  for (const [name, bytes] of [
    [`${second}.sig`, ''],
    ['no%2Fsuch%20file.sig', 'bytes'],
    [`${second}.p7s`, 'bytes'],
  ] as const)
    await world.put('days', `signatures/${name}`, bytes);
  await world.aws.settle();
  const rejected = async () =>
    (await world.stagedKeys('days')).filter((key) => key.startsWith('signatures-rejected/')).sort();
  const pages = [`${second}.json`, 'no%2Fsuch%20file.json', `${second}.p7s.json`];
  expect(await rejected()).toEqual(pages.map((name) => `signatures-rejected/${name}`).sort());
  for (const fileId of [third, first]) {
    await sign('days', fileId);
    world.clock.advanceTo(world.clock.now() + 2 * DAY);
    await world.aws.settle();
    expect(await uploads('days')).toEqual([]);
  }
  expect(await world.record('days')).toMatchObject({ waitingFor: 'signatures' });
  await sign('days', second);
  expect(await world.untilEnd('days')).toMatchObject({ status: 'CLOSED' });
  const sent = (await uploads('days')).map(
    ({ requestBody }) => requestBody?.kind === 'multipart' && requestBody.fields.fileId,
  );
  expect(sent.sort()).toEqual([first, second, third].sort());
  expect(await rejected()).not.toContain(`signatures-rejected/${second}.json`);
});

test('a signature that the service refuses is reported to the signer, a refused download of its document is not, and retries go on', async () => {
  world.simulator.settings.documentsToSign = 2;
  await world.submit('refused');
  const files = await filesToSign(world, 'refused');
  const rejections = async () => (await world.stagedKeys('refused')).filter((key) => key.startsWith('signatures-'));
  inject(world.simulator, 'before', downloading, answer(403), Number.POSITIVE_INFINITY);
  await sign('refused', ...files);
  const { failure } = await world.untilEnd('refused', { signing: false });
  expect(failure).toMatchObject({ error: 'Rejected', cause: expect.stringContaining('Download document') });
  expect(await rejections()).toEqual([]);
  expect(await uploads('refused')).toEqual([]);
  removeFaults(world.simulator);
  const sizeLimit = world.simulator.settings.largestSignatureBytes;
  world.simulator.settings.largestSignatureBytes = 100;
  await world.startNext('refused');
  const order = await world.untilEnd('refused', { signing: false });
  expect(order).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  expect((await rejections()).length).toBeGreaterThan(0);
  world.simulator.settings.largestSignatureBytes = sizeLimit;
  await sign('refused', ...files);
  await world.startNext('refused');
  expect(await world.untilEnd('refused', { signing: false })).toMatchObject({ status: 'CLOSED' });
});

test('an order without all signatures at the deadline fails with SignaturesOverdue and waits for an operator', async () => {
  await world.submitToSign('overdue');
  await bringDeadline(world, 'overdue');
  const standing = { status: 'WAITING_FOR_SIGNATURE', waitingFor: 'operator', failure: { error: 'SignaturesOverdue' } };
  expect(await world.untilEnd('overdue', { signing: false })).toMatchObject(standing);
});
