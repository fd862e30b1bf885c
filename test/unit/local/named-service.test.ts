import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { namedService } from '../../../local/named-service.ts';
import { readOptions } from '../../../local/options.ts';

/** Whatever it is asked, there is somebody. */
const server = createServer((_request, response) => void response.writeHead(404).end());
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => void server.close());

/** An address of this machine where nobody listens any more. */
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

test('a service is named by its address, and its token endpoint by one of its own where it has one', async () => {
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

test('processes that are started later do not see the secret', async () => {
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
  ['no address', ['--service', 'orders.example'], '--service must be an address that starts with https://.'],
  [
    'an address in the open',
    ['--service', 'http://orders.example'],
    '--service must start with https://, because credentials and orders are sent there.',
  ],
  [
    'an address with a password',
    ['--service', 'https://me:secret@orders.example'],
    '--service must be an address without user name, ? and #.',
  ],
  [
    'a token path that is none',
    ['--service', url, '--token-path', 'token'],
    '--token-path must start with / and contain neither ? nor #.',
  ],
  [
    '--once beside it',
    ['--service', url, '--once'],
    '--once cannot be used with --service, which uploads no examples and starts no simulator.',
  ],
  ['--sign without it', ['--sign'], '--sign needs --service <url>.'],
])('%s is answered in one sentence', async (_what, args, sentence) => {
  await expect(named(args)).rejects.toThrow(new Error(sentence));
});

test.each<[string, Record<string, string>]>([
  ['no credentials', {}],
  ['a client without its secret', { LOAN_ORDERS_CLIENT_ID: 'me' }],
  ['an empty secret', { ...credentials, LOAN_ORDERS_CLIENT_SECRET: '' }],
])('%s in the environment: the sentence names both variables', async (_what, environment) => {
  await expect(named(['--service', url], environment)).rejects.toThrow(new Error(NEEDS_CREDENTIALS));
});
