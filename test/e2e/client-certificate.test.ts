import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, expect, test } from 'vitest';
import { otherStage } from '../helpers/assemblies.ts';
import { openWorld } from '../helpers/open-world.ts';
import { authorityPem, issue, passOn, secretOf, TlsService } from '../helpers/tls-service.ts';

/** Where the TLS services pass requests on to, as soon as the simulator runs. */
const simulated = { orders: '', authorization: '' };
let refused = '';
const orders = await TlsService.start((request, response) => {
  if (orders.clients.at(-1) === refused) request.resume().on('end', () => response.writeHead(403).end());
  else passOn(simulated.orders)(request, response);
});
const authorization = await TlsService.start((...call) => passOn(simulated.authorization)(...call));
afterAll(() => Promise.all([orders.close(), authorization.close()]));

// Its data is encrypted with a key that the stack creates.
const world = await openWorld({
  assemblyDirectory: otherStage(({ orderService }) => ({
    orderService: { ...orderService, caBundle: authorityPem, clientCertificate: true },
    encryption: 'stack-key',
  })),
  environment: { ORDER_SERVICE_URL: orders.url, TOKEN_URL: `${authorization.url}/oauth2/token` },
});
simulated.orders = world.simulator.url;
simulated.authorization = world.simulator.authorizationUrl;

async function putCertificate(SecretString: string): Promise<void> {
  const secrets = new SecretsManagerClient(world.aws.clientSettings);
  await secrets.send(new PutSecretValueCommand({ SecretId: world.outputs.ClientCertificateSecret, SecretString }));
}

test('an order needs a client certificate, closes with one, and survives its rotation, while all data is encrypted with a key of the stack', async () => {
  expect((await world.submitToEnd('secured')).failure).toEqual({
    at: expect.any(String),
    error: 'Unauthorized',
    cause: expect.stringContaining('The secret of the client certificate is empty. Nothing was sent.'),
  });

  expect([...orders.clients, ...authorization.clients]).toEqual([]);

  const [partner, renewed] = [issue('partner'), issue('renewed')];
  await putCertificate(secretOf(partner));
  await world.startNext('secured');
  await world.until('secured', ({ status }) => status === 'WAITING_FOR_SIGNATURE', { signing: false });
  await putCertificate(JSON.stringify({ certificate: renewed.cert, privateKey: renewed.key }));
  refused = 'partner';
  expect(await world.untilEnd('secured')).toMatchObject({ status: 'CLOSED' });
  expect(new Set(orders.clients)).toEqual(new Set(['partner', 'renewed']));
  expect(authorization.clients).toContain('partner');

  const records = JSON.stringify([await world.histories('secured'), await world.record('secured')]);
  for (const { key } of [partner, renewed]) expect(records).not.toContain(key.slice(40, 80));
});

test('the back office uploads to the encrypted bucket with the rights of its policy', async () => {
  const backOffice = new S3Client(world.aws.addPerson('back-office', world.outputs.BackOfficePolicy ?? ''));
  const upload = { Bucket: world.outputs.IntakeBucket, Key: 'orders/a/documents/a.pdf', Body: 'a' };
  expect(await backOffice.send(new PutObjectCommand(upload))).toHaveProperty('VersionId');
});
