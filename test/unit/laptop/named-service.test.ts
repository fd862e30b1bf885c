import { expect, onTestFinished, test, vi } from 'vitest';
import { laptopStage } from '../../../laptop/laptop-stage.ts';
import { namedService } from '../../../laptop/named-service.ts';
import type { Options } from '../../../laptop/options.ts';
import { answering, freePort } from '../../helpers/listening.ts';
import { stagesWith } from '../../helpers/stage-files.ts';

const url = await answering((_request, response) => void response.writeHead(404).end());
const silent = `http://127.0.0.1:${await freePort()}`;

const credentials = { LOAN_ORDERS_CLIENT_ID: 'me', LOAN_ORDERS_CLIENT_SECRET: 'secret' };

const named = async (service: string, options: Options = {}, environment: Record<string, string> = credentials) =>
  namedService(service, options, { ...environment });

test('a service is named by its address, and by the address of its token endpoint if that is different', async () => {
  const client = { client_id: 'me', client_secret: 'secret' };
  const usual = { url: `${url}/api`, tokenUrl: `${url}/api/oauth2/token`, credentials: client };
  expect(await named(`${url}/api/`)).toEqual(usual);
  const own = { authorization: `${url}/auth`, tokenPath: '/token' };
  const other = { url, tokenUrl: `${url}/auth/token`, credentials: { ...client, scope: 'orders' } };
  expect(await named(url, own, { ...credentials, LOAN_ORDERS_SCOPE: 'orders' })).toEqual(other);
});

test('processes that start later do not see the client secret', async () => {
  const environment: Record<string, string> = { ...credentials };
  await namedService(url, {}, environment);
  expect(environment).toEqual({ LOAN_ORDERS_CLIENT_ID: 'me' });
});

const silence = `at ${silent} does not answer (ECONNREFUSED). Check`;
const https = '--service must be an address that starts with https://.';

test.each<[string, string, string, Options?]>([
  ['no answer', silent, `The order service ${silence} --service and the network.`],
  [
    'no answer of the authorization service',
    url,
    `The authorization service ${silence} --authorization and the network.`,
    { authorization: silent },
  ],
  ['a text that is no address', 'orders.example', https],
  [
    'an address without https',
    'http://orders.example',
    '--service must start with https://, because credentials and orders are sent there.',
  ],
  [
    'a password in the address',
    'https://me:secret@orders.example',
    '--service must be an address without user name, ? and #.',
  ],
  ['the version of the API', `${url}/v1/`, '--service must end before /v1, which each call adds.'],
  ['an invalid token path', url, '--token-path must start with / and contain neither ? nor #.', { tokenPath: 'token' }],
])('%s is refused with one sentence', async (_what, service, sentence, options) => {
  await expect(named(service, options)).rejects.toThrow(new Error(sentence));
});

test.each<[string, Record<string, string>]>([
  ['no credentials', {}],
  ['a client without its secret', { LOAN_ORDERS_CLIENT_ID: 'me' }],
  ['an empty secret', { ...credentials, LOAN_ORDERS_CLIENT_SECRET: '' }],
])('%s in the environment is refused with a sentence that names both variables', async (_what, environment) => {
  const sentence = /gave you: set LOAN_ORDERS_CLIENT_ID and LOAN_ORDERS_CLIENT_SECRET\.$/;
  await expect(named(url, {}, environment)).rejects.toThrow(sentence);
});

const orderService = { baseUrl: 'https://orders.bank.ru', authorizationUrl: 'https://login.bank.ru' };
const ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1';

function onLaptop(settings: object) {
  vi.stubEnv('LOAN_ORDERS_STAGES', stagesWith({ 'retail.json': { orderService, ...settings } }));
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => laptopStage('retail');
}

test.each<[string, object]>([
  ['network', { network: { vpc: 'vpc-0a1b2c3d', subnets: ['subnet-0a1b2c3d'] } }],
  ['permissionsBoundary', { permissionsBoundary: 'bounds' }],
  ['buckets.intake, existing.table', { buckets: { intake: 'ours' }, existing: { table: 'restored' } }],
  ['buckets.staging, signing.key', { buckets: { staging: 'ours' }, signing: { key: ARN } }],
  ['signing.evidenceKey', { signing: { key: { create: 'RSA_2048' }, evidenceKey: ARN } }],
  ['orderService.clientCertificate', { orderService: { ...orderService, clientCertificate: true } }],
])('a stage with %s is refused in one sentence', (names, settings) => {
  expect(onLaptop(settings)).toThrow(
    `Stage retail cannot run on the laptop, which has nothing of your account or network: ${names}. Try a copy of its file without that.`,
  );
});

test('any other stage runs on the laptop, and without a name the stage local', () => {
  expect(onLaptop({ encryption: ARN, namePrefix: 'acme', account: '111122223333' })().name).toBe('retail');
  expect(laptopStage().name).toBe('local');
  expect(() => laptopStage('rehearsal')).toThrow('"npx loan-orders --local rehearse" runs it.');
});
