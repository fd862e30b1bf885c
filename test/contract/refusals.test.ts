import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkCalls, contractFile } from '../helpers/contract.ts';
import { type Answer, Partner } from '../helpers/partner.ts';

const partner = Partner.forEachTest({ isChecked: false });

const codeOf = ({ status, body }: Answer) => `${status} ${body.error?.code}`;

async function expectRefused(orderId: string, calls: [code: string, call: () => Promise<Answer>][]) {
  const { status } = await partner.read(orderId);
  for (const [code, call] of calls) expect(codeOf(await call())).toBe(code);
  expect((await partner.read(orderId)).status).toBe(status);
}

describe('refused are', () => {
  test('calls in the wrong state, and an accept before everything was sent', async () => {
    const orderId = await partner.create();
    await expectRefused(orderId, [
      ['409 wrong_state', () => partner.uploadDocument(orderId)],
      ['409 wrong_state', () => partner.accept(orderId)],
      ['409 wrong_state', () => partner.confirm(orderId, { offerId: 'any', code: 'any' })],
    ]);
    await partner.afterProcessing(orderId);
    expect(codeOf(await partner.accept(orderId))).toBe('409 documents_missing');
    const { orderId: signing, fileIds } = await partner.toSignature();
    await partner.uploadSignature(signing, fileIds[0] ?? '');
    const answer = await partner.accept(signing);
    expect(codeOf(answer)).toBe('409 signatures_missing');
    expect(answer.body.error.message).toBe(`These documents have no signature: ${fileIds[1]}.`);
    expect(checkCalls(partner.simulator.calls())).toEqual([]);
  });

  test('an unknown order on every path, and a document of another order', async () => {
    const answers = [
      await partner.call('GET', '/v1/orders/unknown'),
      await partner.uploadDocument('unknown'),
      await partner.accept('unknown'),
      await partner.call('GET', '/v1/orders/unknown/documents/any/download'),
      await partner.uploadSignature('unknown', 'any'),
      await partner.confirm('unknown', { offerId: 'any', code: 'any' }),
    ];
    expect(answers.map(codeOf)).toEqual(Array(6).fill('404 order_not_found'));
    const { fileIds } = await partner.toSignature();
    const { orderId } = await partner.toSignature();
    const download = await partner.call('GET', `/v1/orders/${orderId}/documents/${fileIds[0]}/download`);
    expect(codeOf(download)).toBe('404 document_not_found');
    expect(codeOf(await partner.uploadSignature(orderId, 'unknown'))).toBe('404 document_not_found');
    expect(checkCalls(partner.simulator.calls())).toEqual([]);
  });

  test('confirms of an offer that cannot be confirmed, and of one a second time', async () => {
    const { orderId, offers } = await partner.toOffers();
    const [first, refused] = offers.map(({ offerId }) => offerId);
    const confirm = (offerId: string | undefined, code: string | undefined) => () =>
      partner.confirm(orderId, { ...(offerId && { offerId }), ...(code && { code }) });
    await expectRefused(orderId, [
      ['409 offer_not_available', confirm(refused, 'FIRST-12')],
      ['409 offer_not_available', confirm(offers[4]?.offerId, 'FIFTH-12')],
      ['404 offer_not_found', confirm('nobody', 'FIRST-12')],
      ['422 unknown_credit_option', confirm(first, 'THIRD-36')],
      ['400 missing_field', confirm(undefined, 'FIRST-12')],
      ['400 missing_field', confirm(first, undefined)],
    ]);
    expect((await confirm(first, 'FIRST-12')()).status).toBe(202);
    expect(codeOf(await confirm(first, 'FIRST-12')())).toBe('409 offer_already_confirmed');
  });

  test.each([
    ['GET', '/v1/orders', 'POST'],
    ['DELETE', '/v1/orders/any', 'GET'],
    ['POST', '/v1/orders/any/documents/any/download', 'GET'],
  ])('%s %s, which is not in the contract', async (method, path, allowed) => {
    const answer = await partner.call(method, path);
    expect(codeOf(answer)).toBe('405 method_not_allowed');
    expect(answer.headers.get('allow')).toBe(allowed);
    expect(checkCalls(partner.simulator.calls().slice(-1))).toEqual([expect.stringContaining('not in the contract')]);
    expect(codeOf(await partner.call('GET', '/v2/orders'))).toBe('404 not_found');
  });
});

test('the simulator listens on no other address of the machine', async () => {
  const outside = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const addresses = outside
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
  // On Linux all of 127.0.0.0/8 is this machine, so another address exists even without a network.
  if (process.platform === 'linux') addresses.push('127.0.0.2');
  const { port } = new URL(partner.simulator.url);
  for (const address of addresses)
    await expect(fetch(`http://${address}:${port}/simulator/calls`)).rejects.toThrow('fetch failed');
});

const text = readFileSync(contractFile, 'utf8');
const contract = parse(text);

/** The errors that Redocly, the parser of openapi-typescript, finds in the OpenAPI document. */
async function problems(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['spec'] });
  const found = await lintFromString({ source, config });
  return found.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

describe('openapi/order-service.yaml', () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    expect(contract.openapi).toBe('3.1.0');
    expect(await problems(text)).toEqual([]);
    const broken = text.replace('operationId: createOrder', 'operationIdentifier: createOrder');
    expect(await problems(broken)).toEqual([expect.stringContaining('`operationIdentifier` is not expected here')]);
  });

  test('leaves every object open', () => {
    const objects = Object.entries<{ type?: string; additionalProperties?: boolean }>(
      contract.components.schemas,
    ).filter(([, schema]) => schema.type === 'object');
    expect(objects.length).toBeGreaterThan(10);
    expect(objects.filter(([, schema]) => schema.additionalProperties !== true)).toEqual([]);
  });
});
