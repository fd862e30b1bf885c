import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { commandsIn } from '../../helpers/commands-in.ts';
import { NO_OFFERS, openWorld } from '../../helpers/open-world.ts';
import { clientOf } from '../../helpers/order-service-client.ts';

const world = await openWorld({ settings: { ...NO_OFFERS, pollAfterSeconds: 20, closeWithoutConfirmationSeconds: 1 } });
const { simulator } = world;

test('an order that is read only when it is CLOSED without our signatures is marked as unsigned in record, timeline and show, and no offers are claimed', async () => {
  const orderRef = 'unsigned';
  const { orderId = '' } = await world.submitUntil(orderRef, ({ orderId: known }) => known !== undefined);
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
  expect(await world.told(orderRef, 'Closed without signatures')).toHaveLength(1);
  const page = await commandsIn(world).done('show', orderRef);
  expect(page).toContain('the order was closed without our signatures');
  expect(page).toContain('Closed without signatures');
  expect(page).not.toContain('eached its offers');
});
