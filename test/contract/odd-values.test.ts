import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { OrderServiceClient } from '../../core/order-service/order-service-client.ts';
import { ASSUMED_NAMES } from '../../core/order-service/service-names.ts';
import { requestToken } from '../../core/service/token-request.ts';
import { answering } from '../helpers/listening.ts';
import { clientAt, failure, fileOf, fixedToken, tokenSettings } from '../helpers/order-service-client.ts';

let answer = '';
let last: { body: string; headers: NodeJS.Dict<string | string[]>; path: string | undefined };

const url = await answering(async (request, response) => {
  last = { body: await text(request), headers: request.headers, path: request.url };
  const status = { '/accept': 202, '/confirm': 202 }[request.url?.replace(/^.*(?=\/)/, '') ?? ''] ?? 200;
  response.writeHead(status, { 'content-type': 'application/json' }).end(answer);
});

const client = (options: Parameters<typeof clientAt>[3] = {}) => clientAt(url, fixedToken, 20_000, options);

function read(body: string): ReturnType<OrderServiceClient['readOrder']> {
  answer = body;
  return client().readOrder('o');
}

describe('a numeric identifier becomes a string with the same digits', () => {
  test.each(['5', '0', '-7', '12345678901234567890123', '1e400', '1.50'])('%s', async (digits) => {
    answer = `{"nested":{"orderId":1},"orderId": ${digits} ,"signatureId":${digits}}`;
    expect(await client().createOrder('{}')).toEqual({ orderId: digits });
    const file = fileOf(Buffer.from('x'));
    expect(await client().uploadSignature('o', 'f', file)).toBe(digits);
    const body = `{"status":"WAITING_FOR_SIGNATURE","documents":[{"fileId":${digits},"size":1.50}],"offers":[{"offerId":${digits},"creditOptions":[{"code":${digits},"rate":10.50}]}]}`;
    const { order, text, offersText } = await read(body);
    expect(order.documents?.[0]?.fileId).toBe(digits);
    expect(order.offers?.[0]).toMatchObject({ offerId: digits, creditOptions: [{ code: digits, rate: 10.5 }] });
    expect(text).toBe(body);
    expect(offersText).toBe(`[{"offerId":"${digits}","creditOptions":[{"code":"${digits}","rate":10.50}]}]`);
  });

  test('an object that looks like a stored number is not read as a number', async () => {
    const { order } = await read('{"status":"IN_WORK","offers":[{"offerId":{"rawJSON":"5"}}]}');
    expect(order.offers?.[0]?.offerId).toEqual({ rawJSON: '5' });
  });
});

test('offers with our property names are passed on unchanged', async () => {
  const offers = '[ {"b":1.50,"1":2,"offerId":"a\\/b"}, null, "words" ]';
  expect((await read(`{"status":"OFFERS_AVAILABLE","offers":${offers}}`)).offersText).toBe(offers);
  expect((await read('{"status":"IN_WORK","offers":null}')).offersText).toBeUndefined();
});

const badIdentifiers: [string, string][] = [
  ['a lone surrogate', '"\\ud800"'],
  ['1,000 characters', `"${'x'.repeat(1_000)}"`],
  ['500,000 characters', `"${'x'.repeat(500_000)}"`],
  ['. alone', '"."'],
  ['.. alone', '".."'],
  ['Cyrillic that is too long once encoded', `"${'Ж'.repeat(200)}"`],
];
const noIdentifiers = ['[]', 'true', '""', 'null'].map((text): [string, string] => [text, text]);

const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;

describe('an unusable value is an UnexpectedResponse that names its field and keeps the answer', () => {
  const expectRefused = async (call: Promise<unknown>, field: string) => {
    const error = await failure(call);
    expect(error).toMatchObject({ name: 'UnexpectedResponse', message: expect.stringContaining(field) });
    expect(error.message.length).toBeLessThan(300);
    expect(answer).toContain(error.call.excerpt);
    expect(error.call.excerpt?.length).toBeGreaterThan(0);
    expect(error.call.excerpt?.length).toBeLessThanOrEqual(65_536);
  };

  test.each([...badIdentifiers, ...noIdentifiers])('orderId, signatureId and fileId: %s', async (_name, value) => {
    answer = `{"orderId":${value},"signatureId":${value}}`;
    await expectRefused(client().createOrder('{}'), 'orderId');
    await expectRefused(client().uploadSignature('o', 'f', fileOf(Buffer.from('x'))), 'signatureId');
    const documents = `[{"fileId":"a"},{"fileId":${value}}]`;
    await expectRefused(read(`{"status":"WAITING_FOR_SIGNATURE","documents":${documents}}`), 'documents[1]');
  });

  test.each(['{}', '[null]', '["a"]', '[{"docType":"CHARTER"}]', '[{"fileId":".."}]', deep])(
    'any documents are ignored in an order that does not wait for signatures',
    async (documents) => {
      const { order, text } = await read(`{"status":"IN_WORK","documents":${documents}}`);
      expect(order).toEqual({ status: 'IN_WORK' });
      expect(text).toContain(documents);
    },
  );

  test.each(badIdentifiers)('offerId and code: %s', async (_name, value) => {
    await expectRefused(read(`{"status":"OFFERS_AVAILABLE","offers":[{"offerId":${value}}]}`), 'offers[0].offerId');
    const option = `{"status":"OFFERS_AVAILABLE","offers":[null,{"offerId":"a","creditOptions":[{"code":${value}}]}]}`;
    await expectRefused(read(option), 'offers[1].creditOptions[0].code');
  });

  test.each([
    ['documents[0]', ['"documents":[null]', '"documents":["a"]']],
    ['documents', ['"documents":{}', `"documents":${deep}`]],
    ['offers', ['"offers":"none"', `"offers":[{"offerId":"a","more":${deep}}]`]],
    ['documents[]', ['"documents":[]', '"other":1']],
    ['documents[1]', ['"documents":[{"fileId":"a"},{"fileId":"a"}]', '"documents":[{"fileId":5},{"fileId":"5"}]']],
  ])('%s of an order that waits for signatures', async (field, members) => {
    for (const one of members) await expectRefused(read(`{"status":"WAITING_FOR_SIGNATURE",${one}}`), field);
  });

  test('status', async () => {
    const long = `"${'x'.repeat(500_000)}"`;
    for (const status of ['5', '""', long, '"\\udfff"']) await expectRefused(read(`{"status":${status}}`), 'status');
    await expectRefused(read('{}'), 'status');
  });

  test('an error about a body that is cut short keeps the part that arrived', async () => {
    answer = '{"orderId":"o-1","more":';
    await expectRefused(client().createOrder('{}'), 'not JSON');
  });
});

test('a questionnaire and issues of any depth are accepted, unless the answer is too long or has too many values or offers', async () => {
  const deep = `${'['.repeat(49_000)}${']'.repeat(49_000)}`;
  const { order } = await read(`{"status":"VALIDATION_FAILED","questionnaire":${deep},"issues":${deep}}`);
  expect(order.status).toBe('VALIDATION_FAILED');
  for (const [members, problem] of [
    [`"questionnaire":[${'0,'.repeat(100_000)}0]`, 'the body has more than 100000 values'],
    [`"text":"${'x'.repeat(8 * 2 ** 20)}"`, 'the body is longer than 8388608 bytes'],
    [`"offers":[${'{},'.repeat(1_000)}{}]`, 'it lists 1001 offers, and at most 1000 are read'],
  ]) {
    const error = await failure(read(`{"status":"IN_WORK",${members}}`));
    expect(error).toMatchObject({ name: 'UnexpectedResponse', message: expect.stringContaining(problem ?? '') });
  }
});

describe('for a service with other property names and formats', () => {
  const other = { orderId: 'id', signatureId: 'signId', offerStatus: 'state', confirmCode: 'optionCode' };
  const names = { ...ASSUMED_NAMES, ...other };

  test('confirms have its property names, and numbers as it lists them', async () => {
    const choice = { offerId: '12345678901234567890', code: 'A"1' };
    await client({ names }).confirmOffer('o', choice);
    expect(last.body).toBe('{"offerId":"12345678901234567890","optionCode":"A\\"1"}');
    await client({ confirmNumbers: 'as-numbers' }).confirmOffer('o', choice);
    expect(last.body).toBe('{"offerId":12345678901234567890,"code":"A\\"1"}');
  });

  test('accept sends no body or an empty object', async () => {
    await client().acceptOrder('o');
    expect(last).toMatchObject({ body: '', headers: { 'content-length': '0' } });
    await client({ acceptBody: 'empty-object' }).acceptOrder('o');
    expect(last).toMatchObject({ body: '{}', headers: { 'content-type': 'application/json' } });
  });
});

describe('the token client', () => {
  const credentials = { client_id: 'partner', client_secret: 'secret' };
  const ask = (body: string) => {
    answer = body;
    return requestToken(credentials, tokenSettings(url));
  };

  test('keeps type and length alone of an answer without access_token, which may contain the token under another name', async () => {
    const error = await failure(ask('{"accessToken":"very-secret"}'));
    expect(error.call.excerpt).toBe('(not kept: application/json, 29 bytes read)');
    expect(error.message).not.toContain('errors/');
  });

  test('reports a request that could not be written as not sent', async () => {
    const tokens = { token: async () => 'to\nken', replace: async () => 'to\nken' };
    const error = await failure(clientAt(url, tokens).createOrder('{}'));
    expect(error).toMatchObject({ name: 'ServiceUnavailable', message: expect.stringContaining('Nothing was sent') });
    expect(error.message).not.toContain('to\nken');
  });
});
