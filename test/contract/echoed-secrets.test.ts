import { randomBytes } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { loggable, type OrderError } from '../../core/errors.ts';
import { openToken } from '../../core/service/token-renewal.ts';
import { requestToken } from '../../core/service/token-request.ts';
import { digestingStream } from '../../core/signing/digesting-stream.ts';
import { withoutSecrets } from '../../core/used-secrets.ts';
import { answering } from '../helpers/listening.ts';
import { clientAt, failure, fileOf, fixedToken, tokenSettings } from '../helpers/order-service-client.ts';

/** A secret with each kind of character that is escaped somewhere. */
const CLIENT_SECRET = 's%c&r=t +ü/"\\<x>~secret';

const CHARACTERS = [
  (code: number) => `&#${code};`,
  (code: number) => `&#x${code.toString(16).toUpperCase()};`,
  (code: number) => `\\u${code.toString(16).padStart(4, '0')}`,
];

/** A text in each form in which a page may show it. */
function formsOf(text: string): string[] {
  const url = encodeURIComponent(text);
  const form = new URLSearchParams({ text }).toString().slice('text='.length);
  const json = JSON.stringify(text).slice(1, -1);
  const inBase64 = [text, url, form, json].flatMap((one) =>
    [one, `:${one}`, `a:${one}`].map((all) => Buffer.from(all)),
  );
  const escaped = CHARACTERS.map((write) => text.replace(/\W/g, (character) => write(character.charCodeAt(0))));
  return [
    ...[text, url, url.replace(/%../g, (byte) => byte.toLowerCase()), encodeURIComponent(url), form],
    ...[json, JSON.stringify(json).slice(1, -1), ...escaped],
    ...inBase64.flatMap((bytes) => [bytes.toString('base64'), bytes.toString('base64url')]),
  ];
}

/** The beginnings and ends of these secrets that a text shows in some form, also as part of JSON. */
function shownIn(text: string, secrets: readonly string[]): string[] {
  const texts = text + text.replace(/\\(["\\])/g, '$1');
  const parts = new Set(secrets.flatMap(formsOf).flatMap((form) => [form.slice(0, 16), form.slice(-16)]));
  return [...parts].filter((part) => texts.includes(part));
}

/** Each is refused, and then replaced by the next one. */
const TOKENS = ['/', 'eyJhbGciOiJSUzI1NiJ9.', '~'].map(
  (start, at) => start + randomBytes([20, 40, 200][at] ?? 0).toString('base64url'),
);
const SECRETS = [CLIENT_SECRET, ...TOKENS];
const FORMS = SECRETS.flatMap(formsOf).join(' ');

let page = { status: 200, body: '', cut: Number.POSITIVE_INFINITY };
const url = await answering((request, response) => {
  request.resume().on('end', () => {
    const { status, body, cut } = page;
    const echo = SECRETS.map((secret) => encodeURIComponent(secret)).join(' ');
    const names = ['location', 'www-authenticate', 'retry-after', 'x-request-id', 'set-cookie'];
    const shown = { 'content-type': `text/html; ${echo}`, 'content-disposition': `attachment; filename="${echo}"` };
    const headers = { ...Object.fromEntries(names.map((name) => [name, echo])), ...shown };
    response.writeHead(status, echo, { ...headers, 'content-length': Buffer.byteLength(body) });
    if (cut >= body.length) response.end(body);
    else response.write(body.slice(0, cut), () => setImmediate(() => response.destroy()));
  });
});

const nextOf = (token: string) => TOKENS[TOKENS.indexOf(token) + 1] ?? '';
const client = clientAt(url, { token: async () => nextOf(''), replace: async (refused) => nextOf(refused) });
const file = fileOf(Buffer.from('x'));
const credentials = { client_id: 'partner', client_secret: CLIENT_SECRET };
const askForToken = () => requestToken(credentials, tokenSettings(url));
const CALLS = [
  () => client.createOrder('{}'),
  () => client.readOrder('o'),
  () => client.uploadDocument('o', {}, file),
  () => client.acceptOrder('o'),
  () => client.downloadDocument('o', 'f').then(({ body, ...facts }) => body.resume() && facts),
  () => client.uploadSignature('o', 'f', file),
  () => client.confirmOffer('o', { offerId: 'offer', code: 'code' }),
];

const outcomeOf = (call: Promise<unknown>) =>
  call.catch((error) => [error.message, error.call, error.stack]).then((outcome) => JSON.stringify(outcome ?? ''));

test('no result and no error of a call shows a secret that an answer of any status shows in any form', async () => {
  const cuts = [4_096, 65_536].flatMap((kept) => SECRETS.map((secret) => `A page ${' '.repeat(kept - 20)}${secret}`));
  for (const status of [401, 200, 201, 202, 302, 400, 404, 500, 503])
    for (const body of [`A page ${FORMS}`, ...(status === 200 || status === 400 ? cuts : [])]) {
      page = { ...page, status, body };
      const ofToken = await outcomeOf(askForToken());
      expect(ofToken).not.toContain('page');
      const outcomes = await Promise.all(CALLS.map((call) => outcomeOf(call())));
      expect(shownIn([ofToken, ...outcomes].join(), SECRETS)).toEqual([]);
      expect(outcomes.filter((outcome) => outcome.includes('A page')).length).toBeGreaterThan(1);
    }
  page = { ...page, status: 302 };
  expect((await failure(askForToken())).call.excerpt).toBe('(not kept: text/html, 8192 bytes read)');
  for (const secret of SECRETS)
    for (const cut of [16, 31, 33].filter((length) => length < secret.length)) {
      page = { status: 200, body: `A page ${secret}`, cut: 'A page '.length + cut };
      expect((await failure(client.readOrder('o'))).call.excerpt).toMatch(/^A page \*{3}.{0,7}$/);
    }
});

test('an answer that is used has no secret, and is otherwise unchanged; an identifier with a secret is refused', async () => {
  const read = (questionnaire: unknown) =>
    JSON.stringify({ status: 'IN_WORK', questionnaire, offers: [{ words: 'Ж' }] });
  page = { status: 200, body: read(FORMS), cut: Number.POSITIVE_INFINITY };
  const { order, text, offersText } = await client.readOrder('o');
  expect(shownIn(text, SECRETS)).toEqual([]);
  expect([text, offersText]).toEqual([read(order.questionnaire), '[{"words":"Ж"}]']);
  page = { ...page, body: JSON.stringify({ orderId: TOKENS[2] }) };
  const { name, call } = await failure(client.createOrder('{}'));
  expect([name, call.excerpt]).toEqual(['UnexpectedResponse', expect.stringMatching(/^\{"orderId":"\*+"\}$/)]);
});

test('a client secret that has only opened the shared token is hidden too, and no document that shows it is passed on', async () => {
  const client_secret = 'a seldom used secret';
  openToken('sealed', { client_id: 'partner', client_secret });
  const page = `A page of ${client_secret}`;
  expect(withoutSecrets(page)).toBe('A page of ***');
  await expect(pipeline([page], digestingStream().stream)).rejects.toThrow('shows our access token or client secret');
});

const INN = '7707083893';
const PERSON = `Ivanov Ivan, INN ${INN}`;

/** What each failure of an answer with this header shows to logs, the record and the timeline. */
async function shown(status: number, header: string, value: string): Promise<string> {
  const address = await answering((request, response) => {
    request.resume().on('end', () => response.writeHead(status, { [header]: value }).end(Buffer.from('"é"', 'latin1')));
  });
  const client = clientAt(address, fixedToken);
  const calls = [client.readOrder('o'), client.createOrder('{}'), client.downloadDocument('o', 'f')];
  const made = await Promise.allSettled(calls);
  const reasons = made.flatMap((one): OrderError[] => (one.status === 'rejected' ? [one.reason] : []));
  return JSON.stringify(reasons.map(({ message, call }) => [message, loggable(call)]));
}

test.each<[string, string]>([
  ...['x-request-id', 'retry-after', 'location', 'content-encoding', 'www-authenticate'].map(
    (header): [string, string] => [header, PERSON],
  ),
  ['content-type', `application/json; charset="Ivanov-${INN}="`],
])('a person in %s is not shown', async (header, value) => {
  for (const status of [200, 302, 403, 409, 429, 503]) expect(await shown(status, header, value)).not.toContain(INN);
});

test("the service's ID of a request is shown", async () => {
  expect(await shown(409, 'x-request-id', 'Req_1:2.3-4')).toContain('"requestReference":"Req_1:2.3-4"');
});
