import { startSimulator } from '@business-loan-orders/order-simulator';
import { expect, onTestFinished, test } from 'vitest';
import { foreign, own, rawRequest } from '../../packages/embedded-aws/test/raw-request.ts';

test('the simulator refuses, and does not record, what is not asked by a program of this machine', async () => {
  const simulator = await startSimulator();
  onTestFinished(() => simulator.close());
  const { clientId, clientSecret } = simulator.settings;
  const body = `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const [by, headers] of foreign) {
    const asked = { method: 'POST', headers: { ...form, ...headers }, body };
    const refused = { status: 403, text: expect.stringContaining('this machine') };
    expect(await rawRequest(`${simulator.url}/oauth2/token`, asked), by).toEqual(refused);
    for (const path of ['/simulator/calls', '/nowhere'])
      expect((await rawRequest(`${simulator.url}${path}`, { headers })).status, by).toBe(403);
  }
  expect(simulator.calls()).toEqual([]);
  for (const [name, headers] of own(simulator.url))
    expect((await rawRequest(`${simulator.url}/simulator/calls`, { headers })).status, name).toBe(200);
});
