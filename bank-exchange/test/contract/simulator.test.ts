import { beforeEach, describe, expect, test } from 'vitest';
import { Partner } from '../../../test/helpers/partner.ts';
import type { ExchangeRequest } from '../../simulator/book.ts';
import { type ExchangeSimulator, startExchangeSimulator } from '../../simulator/index.ts';
import '../helpers/contract.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2025, 0, 15, 12);

const bank = Partner.forEachTest({
  start: async (options) => {
    simulator = await startExchangeSimulator(options);
    return simulator;
  },
});
let simulator: ExchangeSimulator;
let token: string;

async function obtainToken(scope?: string): Promise<string> {
  const { clientId: client_id, clientSecret: client_secret } = simulator.settings;
  const fields = { grant_type: 'client_credentials', client_id, client_secret, ...(scope && { scope }) };
  return (await bank.requestToken(fields, '/token')).body.access_token;
}

beforeEach(async () => {
  token = await obtainToken('bank-7-exchange');
});

const get = (path: string) => bank.call('GET', path, { token });
const post = (path: string, body: unknown, contentType = 'application/json') =>
  bank.call('POST', path, { token, headers: { 'content-type': contentType }, body: JSON.stringify(body) });

async function refusal(answer: ReturnType<typeof get>): Promise<[number, string]> {
  const { status, body } = await answer;
  return [status, body.error.code];
}

const SCOPED = [
  ['GET', '/requests'],
  ['POST', '/request/any/status'],
  ['GET', '/inns'],
  ['POST', '/inns'],
] as const;

test.each(SCOPED)('%s %s needs a token with the scope of the partner', async (method, path) => {
  expect(await refusal(bank.call(method, path, { token: null }))).toEqual([401, 'token_missing']);
  const answer = await bank.call(method, path, { token: await obtainToken('another-bank') });
  expect([answer.status, answer.body.error.code]).toEqual([403, 'insufficient_scope']);
  expect(answer.headers.get('www-authenticate')).toContain('scope="bank-7-exchange"');
});

test('the scope may be one of several, and is not needed if the service has none', async () => {
  token = await obtainToken('orders bank-7-exchange');
  expect((await get('/requests')).status).toBe(200);
  delete simulator.exchange.settings.scope;
  token = await obtainToken();
  expect((await get('/requests')).status).toBe(200);
});

test('a token is not given to credentials in HTTP Basic, and the scope may be required in its request', async () => {
  const { clientId: client_id, clientSecret: client_secret } = simulator.settings;
  const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  const fields = { grant_type: 'client_credentials', client_id, client_secret };
  const basic = await bank.requestToken({ grant_type: 'client_credentials' }, '/token', { authorization });
  expect([basic.status, basic.body.error]).toEqual([401, 'invalid_client']);
  simulator.settings.scopeRequired = true;
  const { status, body } = await bank.requestToken(fields, '/token');
  expect([status, body.error]).toEqual([400, 'invalid_scope']);
  expect((await bank.requestToken({ ...fields, scope: 'bank-7-exchange' }, '/token')).status).toBe(200);
});

describe('GET /requests', () => {
  let added: ExchangeRequest[];

  beforeEach(() => {
    added = [3, 2, 1].flatMap((age) => simulator.exchange.addRequests(1, NOW - age * MINUTE));
  });

  const names = async (query: string) => {
    const { body } = await get(`/requests${query}`);
    return body.map(({ fileName }: ExchangeRequest) => fileName);
  };
  const [first, second, third] = ['application-1.zip', 'application-2.zip', 'application-3.zip'];

  test('returns requests with their file names, oldest first', async () => {
    const { status, body } = await get('/requests');
    expect([status, body]).toEqual([200, added]);
    expect(body[0]).toMatchObject({ requestId: expect.stringMatching(/^[\w-]{36}$/), fileName: first });
  });

  test.each([
    ['?take=2', [first, second]],
    ['?take=2&skip=2', [third]],
    ['?skip=3', []],
    [`?creationDateFrom=${new Date(NOW - 2 * MINUTE).toISOString()}`, [second, third]],
    ['?creationDateFrom=2025-01-15', [first, second, third]],
    ['?creationDateFrom=2025-01-16', []],
  ])('pages by %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
    expect(simulator.calls().at(-1)?.query).toEqual(Object.fromEntries(new URLSearchParams(query)));
  });

  test.each([
    ['?take=0', 'malformed_parameter'],
    ['?take=ten', 'malformed_parameter'],
    ['?skip=-1', 'malformed_parameter'],
    ['?take=1&take=2', 'malformed_parameter'],
    ['?creationDateFrom=yesterday', 'malformed_parameter'],
    ['?take=101', 'take_too_large'],
  ])('refuses %s', async (query, code) => {
    expect(await refusal(get(`/requests${query}`))).toEqual([400, code]);
  });
});

describe('POST /request/{requestId}/status', () => {
  const issued = { newStatus: 'issued', loanAmount: 1_500_000.5, loanTerm: 24 };
  let path: string;

  beforeEach(() => {
    path = `/request/${simulator.exchange.addRequests(1)[0]?.requestId}/status`;
  });

  test.each([[issued], [{ ...issued, loanTerm: undefined, loanTermInDays: 730 }], [{ newStatus: 'inProgress' }]])(
    'takes %j',
    async (body) => {
      expect((await post(path, body)).status).toBe(200);
      const sent = JSON.parse(JSON.stringify(body));
      expect(simulator.exchange.statuses()).toEqual([{ requestId: path.split('/')[2], body: sent, at: NOW }]);
    },
  );

  test.each([
    [{ newStatus: 'created' }, 'unknown_status'],
    [{}, 'unknown_status'],
    [[issued], 'malformed_json'],
    [{ newStatus: 'issued', loanTerm: 24 }, 'loan_missing'],
    [{ newStatus: 'issued', loanAmount: 1 }, 'loan_missing'],
    [{ ...issued, loanAmount: 0 }, 'malformed_loan'],
    [{ ...issued, loanTerm: -1 }, 'malformed_loan'],
    [{ newStatus: 'inProgress', loanTermInDays: '30' }, 'malformed_loan'],
  ])('refuses %j', async (body, code) => {
    expect(await refusal(post(path, body))).toEqual([400, code]);
    expect(simulator.exchange.statuses()).toEqual([]);
  });

  test('refuses an unknown requestId and a body of another type', async () => {
    expect(await refusal(post('/request/any/status', issued))).toEqual([404, 'request_not_found']);
    expect(await refusal(post(path, issued, 'text/plain'))).toEqual([415, 'unsupported_media_type']);
  });
});

describe('tax numbers', () => {
  const numbers = ['7707083893', '500100732259'];
  const offers = numbers.map((inn) => ({ inn, approvedAmount: 1 }));

  test('are listed until each has an offer', async () => {
    simulator.exchange.addTaxNumbers(numbers);
    for (const _time of [1, 2]) expect((await get('/inns')).body).toEqual(numbers);
    expect((await post('/inns', offers.slice(0, 1))).status).toBe(200);
    expect((await get('/inns')).body).toEqual(numbers.slice(1));
    expect(simulator.exchange.offers()).toEqual([{ offers: offers.slice(0, 1), at: NOW }]);
  });

  test('that were never listed get no offers, and the whole list of offers is refused', async () => {
    simulator.exchange.addTaxNumbers(numbers.slice(1));
    await get('/inns');
    expect(await refusal(post('/inns', offers))).toEqual([400, 'tax_number_unknown']);
    expect(await refusal(post('/inns', [{}]))).toEqual([400, 'tax_number_unknown']);
    expect(await refusal(post('/inns', { offers }))).toEqual([400, 'malformed_offers']);
    expect(simulator.exchange.offers()).toEqual([]);
  });
});
