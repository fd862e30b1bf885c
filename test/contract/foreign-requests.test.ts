import { startSimulator } from '@business-loan-orders/order-simulator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { foreign, own, rawRequest } from '../../packages/embedded-aws/test/raw-request.ts';

describe('the simulator of the order service', () => {
  test.each(foreign)('refuses a request made %s, and does not record it', async (_by, headers) => {
    const simulator = await startSimulator();
    onTestFinished(() => simulator.close());
    const { clientId, clientSecret } = simulator.settings;
    const body = `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const token = await rawRequest(`${simulator.url}/oauth2/token`, {
      method: 'POST',
      headers: { ...form, ...headers },
      body,
    });
    expect(token).toEqual({ status: 403, text: expect.stringContaining('this machine') });
    for (const path of ['/simulator/calls', '/nowhere']) {
      expect((await rawRequest(`${simulator.url}${path}`, { headers })).status).toBe(403);
    }
    expect(simulator.calls()).toEqual([]);
  });

  test('answers programs of this machine under each of its names', async () => {
    const simulator = await startSimulator();
    onTestFinished(() => simulator.close());
    for (const [, headers] of own(simulator.url)) {
      expect((await rawRequest(`${simulator.url}/simulator/calls`, { headers })).status).toBe(200);
    }
  });
});
