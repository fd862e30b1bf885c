import { join } from 'node:path';
import { DynamoDBClient, UpdateContinuousBackupsCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { startSimulator } from '@business-loan-orders/order-simulator';
import { type App, Stack } from 'aws-cdk-lib';
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { afterAll, expect, test, vi } from 'vitest';
import type { Finding } from '../../commands/doctor/finding.ts';
import { OrderStack } from '../../infra/order/stack.ts';
import { ORDER_INDEXES, ORDER_KEY } from '../../infra/order-table.ts';
import { stageSettings } from '../../infra/stages.ts';
import { openStage, simulatedService } from '../../laptop/open-stage.ts';
import { embeddedApp } from '../helpers/assemblies.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { stagesWith } from '../helpers/stage-files.ts';

const address = 'https://orders.bank.ru';
const create = 'ECC_NIST_P256';
const common = {
  account: '000000000000',
  region: 'us-east-1',
  orderService: { baseUrl: address, authorizationUrl: address },
  pollAfterSeconds: { minimum: 1, fallback: 1 },
  tags: { 'cost-centre': '4711' },
  permissionsBoundary: 'bounds',
  namePrefix: 'acme',
  encryption: 'stack-key',
  tracing: { xray: true },
  orderSchema: 'order.schema.json',
  signing: { key: { create }, evidenceKey: { create }, unchecked: 'accept' },
  alarms: { notify: 'operations@partner.ru' },
};
const crm = ['arn:aws:iam::111122223333:role/crm'];
const stages = stagesWith({
  'order.schema.json': { type: 'object' },
  'stages/given.json': {
    ...common,
    orderSchema: '../order.schema.json',
    buckets: { intake: 'our-intake', staging: 'our-staging' },
    existing: { table: 'orders-restored' },
  },
  // The policy of a given bucket is its owner's.
  'stages/shared.json': {
    ...common,
    orderSchema: '../order.schema.json',
    uploads: { packages: crm, signatures: crm, decisions: crm },
  },
});
const LOAN_ORDERS_STAGES = join(stages, 'stages');

function addGiven(app: App): void {
  const given = new Stack(app, 'Given', { env: { account: common.account, region: common.region } });
  const keyOf = (partition: string, sort: string) => [
    { attributeName: partition, keyType: 'HASH' },
    { attributeName: sort, keyType: 'RANGE' },
  ];
  const names = [ORDER_KEY, ...ORDER_INDEXES].flatMap(({ partition, sort }) => [partition, sort]);
  new CfnTable(given, 'Table', {
    tableName: 'orders-restored',
    billingMode: 'PAY_PER_REQUEST',
    keySchema: keyOf(ORDER_KEY.partition, ORDER_KEY.sort),
    attributeDefinitions: [...new Set(names)].map((attributeName) => ({ attributeName, attributeType: 'S' })),
    globalSecondaryIndexes: ORDER_INDEXES.map(({ name, partition, sort, facts }) => ({
      indexName: name,
      keySchema: keyOf(partition, sort),
      projection:
        facts.length > 0 ? { projectionType: 'INCLUDE', nonKeyAttributes: facts } : { projectionType: 'KEYS_ONLY' },
    })),
  });
  for (const bucketName of ['our-intake', 'our-staging'])
    new CfnBucket(given, bucketName, {
      bucketName,
      versioningConfiguration: { status: 'Enabled' },
      notificationConfiguration: { eventBridgeConfiguration: { eventBridgeEnabled: true } },
    });
  const Statement = [{ Effect: 'Allow', Action: '*', Resource: '*' }];
  new CfnManagedPolicy(given, 'Bounds', { managedPolicyName: 'bounds', policyDocument: { Statement } });
}

async function open(stage: string) {
  const app = embeddedApp();
  new OrderStack(app, `LoanOrders-${stage}`, { stage: stageSettings(stage, LOAN_ORDERS_STAGES) });
  addGiven(app);
  const { directory: assemblyDirectory } = app.synth();
  const simulator = await startSimulator({ settings: { pollAfterSeconds: 1, processingSeconds: 1 } });
  const opened = await openStage(simulatedService(simulator), { assemblyDirectory, stack: `acme-LoanOrders-${stage}` });
  afterAll(async () => {
    await opened.aws.close();
    await simulator.close();
  });
  vi.stubEnv('LOAN_ORDERS_STAGES', LOAN_ORDERS_STAGES);
  const run = (...args: string[]) => loanOrders(['--endpoint', opened.aws.endpoint, '--stage', stage, ...args]);
  return { ...opened, simulator, run };
}
afterAll(() => void vi.unstubAllEnvs());

test('doctor on a stage with buckets, a table and a boundary of the company, and every other setting', async () => {
  const { aws, run } = await open('given');
  const doctor = async () => {
    const findings = JSON.parse((await run('--json', 'doctor')).stdout) as Finding[];
    return findings.filter(({ check, state }) => state !== 'ok' || ['buckets', 'table'].includes(check));
  };
  const adopted = 'Table orders-restored, which the stage has adopted,';
  expect(await doctor()).toEqual([
    { check: 'buckets', state: 'ok', message: 'Bucket our-intake has what the stage needs.' },
    { check: 'buckets', state: 'ok', message: 'Bucket our-staging has what the stage needs.' },
    {
      check: 'table',
      state: 'problem',
      message: `${adopted} may lack orders that the service has: run "loan-orders restored --to 1970-01-01T00:00:00Z", and has no point-in-time recovery, and is not protected from deletion (docs/recovery.md#a-table).`,
    },
  ]);
  const [dynamodb, TableName] = [new DynamoDBClient(aws.clientSettings), 'orders-restored'];
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await dynamodb.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
  await dynamodb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
  for (const args of [['restored', '--to', '1970-01-01T00:00:00Z'], ['resume']])
    expect(await run(...args)).toMatchObject({ code: 0 });
  // An order reaches the service by the company's bucket, with the rights that the boundary leaves.
  expect(await run('submit', 'examples/two-offers')).toMatchObject({ code: 0 });
  await vi.waitFor(async () => {
    expect(JSON.parse((await run('--json', 'show', 'two-offers')).stdout)).toHaveProperty('orderId');
  }, 20_000);
  expect(await doctor()).toMatchObject([{}, {}, { state: 'ok', message: `${adopted} has what the stage needs.` }]);
}, 60_000);

test('doctor on a stage with uploads of other accounts', async () => {
  const { run } = await open('shared');
  const { code, stdout } = await run('doctor');
  expect(code, stdout).toBe(0);
}, 60_000);
