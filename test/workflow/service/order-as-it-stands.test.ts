import { expect, test } from 'vitest';
import { creating } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';

const world = await openWorld();

test('the order data is sent once, byte for byte as it is in order.json', async () => {
  const order = String.raw`{ "b": 1.50, "10": "\/home", "2": 12345678901234567890,
    "company": { "name": "Ромашка \u041e\u041e\u041e", "name": "written twice" }, "rate": 1E-7 }`;
  const { order: _order, ...rest } = orderPackage();
  await world.put('verbatim', 'documents/charter.pdf', 'a charter');
  await world.put('verbatim', 'order.json', `{"order":{"x":1}, "order" : ${order} ,${JSON.stringify(rest).slice(1)}`);
  expect(await world.untilEnd('verbatim')).toMatchObject({ status: 'CLOSED' });
  const created = (await world.calls('verbatim')).filter(creating);
  expect(created.map(({ requestBody }) => requestBody)).toMatchObject([{ text: order }]);
});
