import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { namedService } from '../../../laptop/named-service.ts';
import { readOptions } from '../../../laptop/options.ts';

/** A server that answers every request. */
const server = createServer((_request, response) => void response.writeHead(404).end());
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => void server.close());

/** An address of this machine that refuses connections. */
const closed = createServer().listen(0, '127.0.0.1');
await once(closed, 'listening');
const silent = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
closed.close();
await once(closed, 'close');

const credentials = { LOAN_ORDERS_CLIENT_ID: 'me', LOAN_ORDERS_CLIENT_SECRET: 'secret' };

async function named(args: string[], environment: Record<string, string> = credentials) {
  const options = readOptions(args);
  return namedService(options.service ?? '', options, { ...environment });
}

test('a service is named by its address, and by the address of its token endpoint if that is different', async () => {
  const client = { client_id: 'me', client_secret: 'secret' };
  expect(await named(['--service', `${url}/api/`])).toEqual({
    url: `${url}/api`,
    tokenUrl: `${url}/api/oauth2/token`,
    credentials: client,
  });
  const own = ['--service', url, '--authorization', `${url}/auth`, '--token-path', '/token'];
  expect(await named(own, { ...credentials, LOAN_ORDERS_SCOPE: 'orders' })).toEqual({
    url,
    tokenUrl: `${url}/auth/token`,
    credentials: { ...client, scope: 'orders' },
  });
});

test('processes that start later do not see the client secret', async () => {
  const environment: Record<string, string> = { ...credentials };
  await namedService(url, readOptions([]), environment);
  expect(environment).toEqual({ LOAN_ORDERS_CLIENT_ID: 'me' });
});

const NEEDS_CREDENTIALS =
  '--service needs the credentials that the order service gave you: set LOAN_ORDERS_CLIENT_ID and LOAN_ORDERS_CLIENT_SECRET.';

test.each<[string, string[], string]>([
  [
    'an address that does not answer',
    ['--service', silent],
    `The order service at ${silent} does not answer (ECONNREFUSED). Check --service and the network.`,
  ],
  [
    'an authorization service that does not answer',
    ['--service', url, '--authorization', silent],
    `The authorization service at ${silent} does not answer (ECONNREFUSED). Check --authorization and the network.`,
  ],
  [
    'text that is not an address',
    ['--service', 'orders.example'],
    '--service must be an address that starts with https://.',
  ],
  [
    'an address without https',
    ['--service', 'http://orders.example'],
    '--service must start with https://, because credentials and orders are sent there.',
  ],
  [
    'an address with a password',
    ['--service', 'https://me:secret@orders.example'],
    '--service must be an address without user name, ? and #.',
  ],
  [
    'an invalid token path',
    ['--service', url, '--token-path', 'token'],
    '--token-path must start with / and contain neither ? nor #.',
  ],
  [
    '--once beside it',
    ['--service', url, '--once'],
    '--once cannot be used with --service, which uploads no examples and starts no simulator.',
  ],
  ['--sign without --service', ['--sign'], '--sign needs --service <url>.'],
])('%s is refused with one sentence', async (_what, args, sentence) => {
  await expect(named(args)).rejects.toThrow(new Error(sentence));
});

test.each<[string, Record<string, string>]>([
  ['no credentials', {}],
  ['a client without its secret', { LOAN_ORDERS_CLIENT_ID: 'me' }],
  ['an empty secret', { ...credentials, LOAN_ORDERS_CLIENT_SECRET: '' }],
])('%s in the environment is refused with a sentence that names both variables', async (_what, environment) => {
  await expect(named(['--service', url], environment)).rejects.toThrow(new Error(NEEDS_CREDENTIALS));
});
