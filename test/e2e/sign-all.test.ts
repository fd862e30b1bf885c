import { beforeEach, expect, test } from 'vitest';
import { commandsIn, outputOf } from '../helpers/commands-in.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { putSignature, signed } from '../helpers/signatures.ts';
import { openFolder, signerFiles } from '../helpers/signer-files.ts';

const settings = { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 2 };
const world = await openWorld({ settings, ordersGoOn: true });
beforeEach(() => world.forget(settings));

const folder = openFolder();
const files = signerFiles(folder);

const { run } = commandsIn(world);
const signAll = (...options: string[]) => run('sign', '--all', '--key', files.key, '--cert', files.cert, ...options);

const arrivals = async (orderRef: string) => {
  await world.aws.settle();
  return (await world.told(orderRef, 'A signature arrived')).length;
};

test('sign --all says that no order waits', async () => {
  expect(await signAll()).toEqual({ code: 0, stdout: 'No order waits for signatures.\n', stderr: '' });
});

test('sign --all signs every order that waits, and one that cannot be signed stops none of the others', async () => {
  for (const orderRef of ['one', 'broken', 'two']) await world.submitToSign(orderRef);
  await world.removeStaged((await world.documentsToSign('broken'))[1]);
  const { code, stdout, stderr } = await signAll();
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout.split('\n').sort()).toEqual([
    '',
    '3 orders: 2 signed, 1 not signed.',
    expect.stringMatching(/^broken: not signed\. .* is gone from staging: nothing was uploaded\.$/),
    'one: signed 2 documents',
    'two: signed 2 documents',
  ]);
  expect(await arrivals('broken')).toBe(0);
  for (const orderRef of ['one', 'two'])
    expect(await world.untilEnd(orderRef, { signing: false })).toMatchObject({ status: 'CLOSED' });
});

test('sign --all said again uploads no signature twice, and replaces one that was rejected', async () => {
  await world.submitToSign('again');
  const [first = '', second = ''] = (await world.documentsToSign('again')).map(({ fileId }) => fileId);
  await putSignature(world, 'again', first, await signed(world, 'again', first));
  await world.put('again', `signatures/${second}.sig`, 'junk');
  const page = `signatures-rejected/${second}.json`;
  await world.aws.settle();
  expect(await world.staged('again', page)).toBeDefined();
  const before = await arrivals('again');
  const { orders } = JSON.parse(outputOf(await signAll('--json')));
  expect(orders.find(({ orderRef }: { orderRef: string }) => orderRef === 'again')).toEqual({
    orderRef: 'again',
    done: true,
    signed: 1,
    already: 1,
    said: 'signed 1 document, 1 signature in intake already',
  });
  expect(await arrivals('again')).toBe(before + 1);
  expect(await world.untilEnd('again', { signing: false })).toMatchObject({ status: 'CLOSED' });
});
