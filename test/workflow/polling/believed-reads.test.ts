import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { commandsIn } from '../../helpers/commands-in.ts';
import { accepting, inject, loseAnswer, reading, signing, uploading } from '../../helpers/faults.ts';
import { NO_OFFERS } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { clientOf } from '../../helpers/order-service-client.ts';
import { submit } from '../../helpers/packages.ts';

const world = await openWorld({
  settings: { ...NO_OFFERS, pollAfterSeconds: 2, processingSeconds: 1, documentsToSign: 1 },
});
const { simulator } = world;

test('a lost accept of documents is not sent again on stale reads, because the service would take it as the accept of signatures', async () => {
  inject(simulator, 'after', accepting, loseAnswer);
  let stale = 2;
  let before: unknown;
  simulator.hooks.before = async (call, _request, reply) => {
    const answered = simulator.calls().filter(({ orderId, status }) => orderId === call.orderId && status === 200);
    if (accepting(call)) before ??= answered.findLast(reading)?.responseBody;
    if (!reading(call) || before === undefined || stale === 0) return;
    stale -= 1;
    await reply.code(200).send(before);
  };
  await submit(world, 'stale-look');
  expect(await world.untilEnd('stale-look')).toMatchObject({
    status: 'CLOSED',
    rounds: { documents: { number: 1 } },
    generation: 1,
  });
  expect(stale).toBe(0);
  expect((await world.calls('stale-look', accepting)).map(({ status }) => status)).toEqual([202, 202]);
});

/** A person at the bank accepts just before our accept at this status. */
function acceptBefore(status: string): void {
  let isDone = false;
  simulator.hooks.before = async ({ orderId = '', ...call }) => {
    if (isDone || !accepting({ orderId, ...call }) || simulator.order(orderId)?.status !== status) return;
    isDone = true;
    await clientOf(simulator).acceptOrder(orderId);
    // The documents of the next round have the same names but other bytes.
    simulator.order(orderId)?.generatedDocuments.splice(0);
  };
}

test.each([
  ['documents', 'WAITING_FOR_DOCUMENTS', 'documents-again', uploading],
  ['signatures', 'WAITING_FOR_SIGNATURE', 'second-signing-round', signing],
] as const)(
  '%s that the service requests again are sent again, although the accept before was not ours',
  async (what, status, scenario, sending) => {
    const orderRef = `not-our-accept-of-${what}`;
    simulator.settings.documentTemplates = [{ fileId: 'contract' }];
    acceptBefore(status);
    Object.assign(simulator.settings, { pollAfterSeconds: 15, processingSeconds: 60 });
    await submit(world, orderRef, { scenario });
    const isStopped = ({ waitingFor }: OrderItem) => waitingFor === 'operator' || waitingFor === 'signatures';
    await world.until(orderRef, isStopped, { signing: false });
    await world.sign();
    await world.aws.settle();
    expect(await world.untilEnd(orderRef)).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
    await world.startNext(orderRef);
    const order = await world.untilEnd(orderRef);
    const rounds = { documents: order.rounds?.documents?.number, signatures: order.rounds?.signatures?.number };
    expect({ status: order.status, round: rounds[what] }).toEqual({ status: 'CLOSED', round: 2 });
    expect(await world.calls(orderRef, sending)).toHaveLength(2);
  },
);

test.each([
  ['at its offers', 60],
  ['only when it is CLOSED', 1],
])(
  'an order that gets offers without our signatures, and is read %s, is marked as unsigned in record, timeline and show',
  async (_when, closeWithoutConfirmationSeconds) => {
    Object.assign(simulator.settings, { pollAfterSeconds: 20, closeWithoutConfirmationSeconds });
    const orderRef = `unsigned-${closeWithoutConfirmationSeconds}`;
    await submit(world, orderRef);
    const { orderId = '' } = await world.until(orderRef, ({ orderId: known }) => known !== undefined);
    const { generatedDocuments } = await world.untilAtService(
      orderId,
      ({ status }) => status === 'WAITING_FOR_SIGNATURE',
    );
    const client = clientOf(simulator);
    const [{ fileId = '' } = {}] = generatedDocuments;
    const open = async () => Readable.from(['signed elsewhere']);
    await client.uploadSignature(orderId, fileId, {
      name: 'a.sig',
      contentType: 'application/pkcs7-signature',
      size: 16,
      open,
    });
    await client.acceptOrder(orderId);
    simulator.settings.pollAfterSeconds = 2;
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', unsigned: true });
    expect(await world.told(orderRef, 'Reached its offers without signatures')).toHaveLength(1);
    const page = await commandsIn(world).done('show', orderRef);
    expect(page).toContain('the order reached its offers without our signatures');
  },
);
