import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Person, people } from '../../infra/order/people-rights.ts';
import { commandsIn, refusalOf } from '../helpers/commands-in.ts';
import { choicesOf } from '../helpers/offers.ts';
import { openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { orderAtService } from '../helpers/signatures.ts';
import { openFolder, signerFiles } from '../helpers/signer-files.ts';

const world = await openWorld({ settings: SIGNATURES_AT_ONCE });
const folder = openFolder();
const files = signerFiles(folder);
const { IntakeBucket, StagingBucket, OrderTable, OrderStateMachine, CredentialsSecret } = world.outputs;
const { clientId: client_id, clientSecret: client_secret } = world.simulator.settings;
const credentials = JSON.stringify({ client_id, client_secret });
/** That of the credit-desk is the output CreditDeskPolicy. */
const policyOf = (person: Person | 'operator-stage') =>
  world.outputs[`${person.replace(/(?:^|-)(\w)/g, (_start, letter: string) => letter.toUpperCase())}Policy`] ?? '';
for (const person of people)
  world.aws.addPerson(person, policyOf(person), ...(person === 'operator' ? [policyOf('operator-stage')] : []));

function clientsOf(person: string) {
  const settings = { ...world.aws.clientSettings, credentials: { accessKeyId: person, secretAccessKey: 'any' } };
  return {
    s3: new S3Client(settings),
    dynamodb: new DynamoDBClient(settings),
    states: new SFNClient(settings),
    secrets: new SecretsManagerClient(settings),
  };
}
type Clients = ReturnType<typeof clientsOf>;
const clients = Object.fromEntries(people.map((person) => [person, clientsOf(person)])) as Record<Person, Clients>;

const putKey = (Key: string) => (clients: Clients) =>
  clients.s3.send(new PutObjectCommand({ Bucket: IntakeBucket, Key, Body: '{}' }));
const put = (file: string) => putKey(`orders/of-people/${file}`);
const remove = (Key: string) => (clients: Clients) =>
  clients.s3.send(new DeleteObjectCommand({ Bucket: IntakeBucket, Key, VersionId: 'null' }));
const read = (Bucket: string | undefined, file: string) => (clients: Clients) =>
  clients.s3.send(new GetObjectCommand({ Bucket, Key: `orders/of-people/${file}` }));

const attempts: [string, (clients: Clients) => Promise<unknown>, Person[]][] = [
  ['upload order.json', put('order.json'), ['back-office']],
  ['upload a document', put('documents/a.pdf'), ['back-office']],
  ['upload a signature', put('signatures/file.sig'), ['signer']],
  ['upload a decision', put('decision.json'), ['credit-desk']],
  ['replace the chain of the signing key', putKey('signing/certificate-chain.pem'), []],
  ['replace the chain of the key for evidence', putKey('signing/evidence-certificate-chain.pem'), []],
  [
    'read status.json',
    read(StagingBucket, 'status.json'),
    ['back-office', 'signer', 'credit-desk', 'operator', 'auditor'],
  ],
  ['read issues.json', read(StagingBucket, 'issues.json'), ['back-office', 'operator', 'auditor']],
  ["read the service's words", read(StagingBucket, 'errors/create.txt'), ['operator', 'auditor']],
  ["read the service's last answer", read(StagingBucket, 'snapshot.json'), ['operator', 'auditor']],
  ['read a document to sign', read(StagingBucket, 'to-sign/file'), ['signer', 'auditor']],
  ['read the offers', read(StagingBucket, 'offers.json'), ['credit-desk', 'auditor']],
  ['read a package', read(IntakeBucket, 'order.json'), ['back-office', 'auditor']],
  ['remove a version of a file', remove('orders/of-people/order.json'), ['data-protection']],
  ['remove the chain of the signing key', remove('signing/certificate-chain.pem'), []],
  [
    'scan the orders',
    ({ dynamodb }) => dynamodb.send(new ScanCommand({ TableName: OrderTable, IndexName: 'byStatus' })),
    ['operator', 'auditor'],
  ],
  [
    'read an item of the record',
    ({ dynamodb }) =>
      dynamodb.send(new GetItemCommand({ TableName: OrderTable, Key: { orderRef: { S: 'a' }, item: { S: 'order' } } })),
    ['operator', 'auditor'],
  ],
  [
    'start an execution',
    ({ states }) => states.send(new StartExecutionCommand({ stateMachineArn: OrderStateMachine, input: 'no JSON' })),
    ['operator'],
  ],
  [
    'read the credentials',
    ({ secrets }) => secrets.send(new GetSecretValueCommand({ SecretId: CredentialsSecret })),
    [],
  ],
  [
    'replace the credentials',
    ({ secrets }) =>
      secrets.send(new PutSecretValueCommand({ SecretId: CredentialsSecret, SecretString: credentials })),
    ['operator'],
  ],
];

/** Whether the attempt was allowed. Another error than a denial means that it was. */
async function isAllowed(attempt: Promise<unknown>): Promise<boolean> {
  const name = await attempt.then(
    () => '',
    (error: Error) => error.name,
  );
  return !name.startsWith('AccessDenied');
}

test.each(attempts)('only these may %s', async (_title, attempt, allowed) => {
  const verdicts = await Promise.all(people.map(async (person) => [person, await isAllowed(attempt(clients[person]))]));
  expect(verdicts.filter(([, verdict]) => verdict).map(([person]) => person)).toEqual(allowed);
});

test.each([['signer'], ['credit-desk']] as [Person][])(
  'whoever has the rights of the back office and of the %s may no longer upload packages',
  async (person) => {
    world.aws.addPerson('both', policyOf('back-office'), policyOf(person));
    const both = clientsOf('both');
    expect(await isAllowed(put('order.json')(both))).toBe(false);
    expect(await isAllowed(put('documents/a.pdf')(both))).toBe(false);
    expect(await isAllowed(put(person === 'signer' ? 'signatures/b.sig' : 'decision.json')(both))).toBe(true);
  },
);

describe('with the rights of one person alone', () => {
  const { as } = commandsIn(world);

  test('the back office submits a package, also one with a large file', async () => {
    const path = folder.path('large-package');
    cpSync('examples/two-offers', path, { recursive: true });
    writeFileSync(join(path, 'documents/charter.pdf'), Buffer.alloc(9 * 1024 * 1024, 'charter '));
    expect(await as('back-office', 'submit', path)).toMatchObject({ code: 0 });
    expect(await as('back-office', 'list')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('large-package'),
    });
  });

  test('the signer signs, the credit desk decides, and the operator inspects and repairs', async () => {
    await world.submitToSign('by-people', { offers: { choose: 'manual' } });
    expect(await as('signer', 'sign', 'by-people', '--key', files.key, '--cert', files.cert)).toMatchObject({
      code: 0,
    });
    await world.until('by-people', ({ waitingFor }) => waitingFor === 'decision', { signing: false });
    expect(await as('credit-desk', 'offers', 'by-people')).toMatchObject({ code: 0 });
    const [{ offerId, code } = expect.fail()] = choicesOf(await orderAtService(world, 'by-people'));
    expect(await as('operator', 'show', 'by-people')).toMatchObject({ code: 0 });
    expect(await as('operator', 'abort', 'by-people')).toMatchObject({ code: 0 });
    await world.untilEnd('by-people');
    expect(await as('operator', 'retry', 'by-people')).toMatchObject({ code: 0 });
    await world.until('by-people', ({ waitingFor }) => waitingFor === 'decision', { signing: false });
    const confirmed = await as('credit-desk', 'confirm', 'by-people', '--offer', offerId, '--code', code);
    expect(confirmed).toMatchObject({ code: 0 });
    await world.untilEnd('by-people');
    const name = `arn:aws:iam::${world.aws.accountId}:user/credit-desk`;
    expect(await world.record('by-people')).toMatchObject({ decision: { decided: { written: { decidedBy: name } } } });
    expect(await as('operator', 'list')).toMatchObject({ code: 0, stdout: expect.stringContaining('by-people') });
  });

  beforeAll(async () => {
    await world.submitToEnd('over');
  });

  test.each([
    ['signer', ['offers', 'over'], 'lack the permission s3:GetObject'],
    ['credit-desk', ['show', 'over'], 'lack the permission states:DescribeExecution'],
    ['operator', ['offers', 'over'], 'lack the permission s3:GetObject'],
    ['back-office', ['show', 'over'], 'lack the permission states:DescribeExecution'],
    ['operator', ['erase', 'over', '--confirm', 'over'], 's3:ListBucketVersions'],
    ['auditor', ['abort', 'over'], 'No execution of order over is running'],
  ] as [Person, string[], string][])('the %s is refused %j', async (person, args, sentence) => {
    expect(refusalOf(await as(person, ...args))).toContain(sentence);
  });
});
