import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { startSimulator } from '@business-loan-orders/order-simulator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Partner } from '../helpers/partner.ts';

const partner = Partner.forEachTest();

const refused = { code: 'ECONNREFUSED' };

/** A caller with its own token. Without an agent it opens a new connection for each call, because `fetch` may reuse closed ones. */
async function caller(agent: Agent | false = false) {
  const { clientId: client_id, clientSecret: client_secret } = partner.simulator.settings;
  const granted = await partner.requestToken({ grant_type: 'client_credentials', client_id, client_secret });
  const headers = { authorization: `Bearer ${granted.body.access_token}` };
  return async (method: string, path: string) => {
    const call = request(partner.simulator.url + path, { method, headers, agent }).end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    const { statusCode: status, headers: answered } = response;
    return { status, body: answered['content-type'] ? await json(response) : response.resume() };
  };
}

const inStatus = (status: string) => ({ status: 200, body: { status } });

describe('a simulator that does not listen', () => {
  test('finishes a running call, and takes no other call on its connection', async () => {
    const orderId = await partner.toDocuments();
    await partner.uploadDocument(orderId);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const call = await caller(agent);
    const [arrived, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    partner.simulator.hooks.before = async () => {
      arrived.resolve();
      await letGo.promise;
    };
    const accepting = call('POST', `/v1/orders/${orderId}/accept`);
    await arrived.promise;
    partner.simulator.stopListening();
    letGo.resolve();
    expect((await accepting).status).toBe(202);
    await expect(call('GET', `/v1/orders/${orderId}`)).rejects.toMatchObject(refused);
    await partner.simulator.listenAgain();
    expect(await call('GET', `/v1/orders/${orderId}`)).toMatchObject(inStatus('IN_WORK'));
  });

  test('can be stopped and started twice, and lets time pass meanwhile', async () => {
    const orderId = await partner.create();
    const call = await caller();
    for (let twice = 0; twice < 2; twice += 1) partner.simulator.stopListening();
    partner.passSeconds(60);
    for (let twice = 0; twice < 2; twice += 1) await partner.simulator.listenAgain();
    expect(await call('GET', `/v1/orders/${orderId}`)).toMatchObject(inStatus('WAITING_FOR_DOCUMENTS'));
  });

  test('can be closed, and frees its port', async () => {
    const closed = await startSimulator();
    closed.stopListening();
    await closed.close();
    await expect(fetch(closed.url)).rejects.toMatchObject({ cause: refused });
    const another = await startSimulator({ port: Number(new URL(closed.url).port) });
    onTestFinished(() => another.close());
    expect(another.url).toBe(closed.url);
  });
});

test('a hook of the simulator may change body and status after the work is done, and the call record has the changed answer', async () => {
  const orderId = await partner.toDocuments();
  await partner.uploadDocument(orderId);
  const body = { error: { code: 'bad_gateway', message: 'Try again.' } };
  partner.simulator.hooks.after = async (_call, _request, reply) => {
    reply.code(502).header('content-type', 'application/json');
    return JSON.stringify(body);
  };
  expect(await partner.accept(orderId)).toMatchObject({ status: 502, body });
  expect(partner.simulator.order(orderId)?.status).toBe('IN_WORK');
  expect(partner.simulator.calls().at(-1)).toMatchObject({ status: 502, responseBody: body });
});
