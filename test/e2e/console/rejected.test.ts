import { PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import type { FactsMessage, RejectedFacts } from '../../../console/api.ts';
import { LiveMessages, openConsole } from '../../helpers/open-console.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage, submit } from '../../helpers/packages.ts';

/** Whether the stage denies the console to read its buckets. */
let isDenied = false;

const world = await openWorld({
  ordersGoOn: true,
  requestWrapper: async ({ service, accessKeyId }) =>
    isDenied && service === 'S3' && accessKeyId === 'local' ? { status: 403, code: 'AccessDenied' } : undefined,
});
const { get } = await openConsole(world);
type Message = FactsMessage<RejectedFacts>;

const follow = async () => new LiveMessages<Message>(await get('/api/rejected/live'));
const rowsOf = (message: Message) => ('all' in message ? message.all : 'changed' in message ? message.changed : {});

async function put(Key: string): Promise<void> {
  await world.s3.send(new PutObjectCommand({ Bucket: world.outputs.IntakeBucket, Key, Body: Buffer.from('bytes') }));
  await world.aws.settle();
}

test('the page gets what list --rejected lists, and what is rejected later, without asking again', async () => {
  const live = await follow();
  const empty = await live.first((message) => 'all' in message);
  expect(rowsOf(empty)).toEqual({ rejected: [], older: 0 });
  await world.put('refused', 'order.json', { ...orderPackage(), order: {} });
  await world.aws.settle();
  const one = await live.first((message) => 'changed' in message);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(rowsOf(one)).toEqual({
    rejected: [
      {
        kind: 'package',
        key: 'orders/refused/order.json',
        orderRef: 'refused',
        since: time,
        lastAt: time,
        why: expect.stringMatching(/^\$\.\S+: .+ And \d more\.$/),
        answer: expect.stringMatching(/^rejected\/orders\/refused\/order\.json\/.+\.json$/),
      },
    ],
  });
  await submit(world, 'refused');
  await live.first((message) => (rowsOf(message).rejected as unknown[] | undefined)?.length === 0 && message !== empty);
  await live.close();
});

test('a key of anybody shows its unseen characters, and names an order only in the folder of one', async () => {
  await put('scans/\u202E\u0007договор.pdf');
  await put('orders/\u202Ex/order.json');
  await put('scans/\u3164.pdf');
  const live = await follow();
  const message = await live.first((one) => 'all' in one);
  const rows = rowsOf(message).rejected as RejectedFacts['rejected'];
  expect(
    rows.map(({ key, orderRef }) => ({ key, orderRef })).sort((one, other) => (one.key < other.key ? -1 : 1)),
  ).toEqual([
    { key: 'orders/%E2%80%AEx/order.json', orderRef: undefined },
    { key: 'scans/%E2%80%AE%07договор.pdf', orderRef: undefined },
    { key: 'scans/%E3%85%A4.pdf', orderRef: undefined },
  ]);
  await live.close();
});

test('a reason that quotes a package shows its unseen characters too', async () => {
  await world.put('quoted', 'order.json', { ...orderPackage(), '\u202Edesopx': 1 });
  await world.aws.settle();
  const live = await follow();
  const rows = rowsOf(await live.first((one) => 'all' in one)).rejected as RejectedFacts['rejected'];
  expect(rows.find(({ orderRef }) => orderRef === 'quoted')?.why).toContain('%E2%80%AEdesopx');
  await live.close();
});

test('a list that cannot be read is said in one sentence, and is shown again when it can', async () => {
  isDenied = true;
  const live = await follow();
  const refused = await live.first((message) => 'failed' in message);
  expect(refused).toEqual({ failed: expect.stringMatching(/denied access.+\.$/) });
  isDenied = false;
  expect(rowsOf(await live.first((message) => 'all' in message)).rejected).toHaveLength(4);
  await live.close();
});
