import { Readable } from 'node:stream';
import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { afterEach, expect, test } from 'vitest';
import { run } from '../../../commands/program.ts';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { accepting, loseAnswer, type Matches, reading, removeFaults, uploading } from '../../helpers/faults.ts';
import { NO_OFFERS } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { clientOf } from '../../helpers/order-service-client.ts';
import { submit } from '../../helpers/packages.ts';

const world = await openWorld({
  settings: { ...NO_OFFERS, pollAfterSeconds: 2, processingSeconds: 1, documentsToSign: 1 },
});
const { simulator } = world;

afterEach(() => {
  removeFaults(simulator);
  Object.assign(simulator.settings, { ...NO_OFFERS, pollAfterSeconds: 2, processingSeconds: 1 });
  delete simulator.settings.documentTemplates;
});

const callsOf = async (orderRef: string, matches: Matches) => (await world.calls(orderRef)).filter(matches);

/** After the first accept, read number `first` and the following ones, `count` in all, repeat the answer from before it. */
function makeStale(count: number, first = 1): void {
  let accepted = false;
  let read = 0;
  let before: unknown;
  simulator.hooks.before = async (call, _request, reply) => {
    if (accepting(call)) accepted = true;
    if (!reading(call)) return;
    if (!accepted) return;
    before ??= simulator
      .calls()
      .findLast((one) => reading(one) && one.orderId === call.orderId && one.status === 200)?.responseBody;
    read += 1;
    if (read >= first && read < first + count) await reply.code(200).send(before);
  };
}

/** Loses the answer to the first accept, which the service has done. */
function loseFirstAccept(then?: (call: RecordedCall) => Promise<void>): void {
  let isLost = false;
  simulator.hooks.after = async (call, request, reply) => {
    if (isLost || !accepting(call)) return;
    isLost = true;
    await then?.(call);
    await loseAnswer(call, request, reply);
  };
}

test('a lost accept of documents is not sent again on stale reads, because the service would take it as the accept of signatures', async () => {
  loseFirstAccept();
  makeStale(2);
  await submit(world, 'stale-look');
  expect(await world.untilEnd('stale-look')).toMatchObject({ status: 'CLOSED', documentsRound: 1, generation: 1 });
  expect((await callsOf('stale-look', accepting)).map(({ status }) => status)).toEqual([202, 202]);
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

const signing: Matches = ({ method, path }) => method === 'POST' && path.endsWith('/documents/sign');

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
    const rounds = { documents: order.documentsRound, signatures: order.signaturesRound?.number };
    expect({ status: order.status, round: rounds[what] }).toEqual({ status: 'CLOSED', round: 2 });
    expect(await callsOf(orderRef, sending)).toHaveLength(2);
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
    expect((await world.items(orderRef)).map(({ what }) => what)).toContain('Reached its offers without signatures');
    const lines: string[] = [];
    await run(['--endpoint', world.aws.endpoint, 'show', orderRef], {
      out: (text) => void lines.push(text),
      err: () => undefined,
    });
    expect(lines.join('')).toContain('the order reached its offers without our signatures');
  },
);
