import { rmSync } from 'node:fs';
import { startLocalAws } from '@business-loan-orders/embedded-aws';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { createApp } from '../../infra/app.ts';
import { OrderStack } from '../../infra/order/stack.ts';
import { addOperator, withSimulator } from '../../infra/rehearsal/stack.ts';
import { stageSettings } from '../../infra/stages.ts';
import { table as tableOf, writeAssembly } from '../../packages/embedded-aws/test/cloudformation/handmade-assembly.ts';
import { checkedApp } from '../helpers/nag-findings.ts';
import { unbundledApp } from '../helpers/template.ts';

const idsOf = (stage: string) =>
  createApp({ context: { stage, 'aws:cdk:bundling-stacks': [] } })
    .node.children.map(({ node }) => node.id)
    .filter((id) => id.startsWith('LoanOrders'));

test('only the stage rehearsal has the simulator and the role of operators', () => {
  expect(idsOf('rehearsal')).toEqual([
    'LoanOrdersSimulator-rehearsal',
    'LoanOrders-rehearsal',
    'LoanOrdersOperator-rehearsal',
  ]);
  expect(idsOf('test')).toEqual(['LoanOrders-test']);
  const stage = stageSettings('test');
  expect(withSimulator(new App(), stage)).toBe(stage);
});

const app = unbundledApp('rehearsal');
const stage = withSimulator(app, { ...stageSettings('rehearsal'), namePrefix: 'acme' });
addOperator(app, stage, new Stack(app, 'Orders'));
const [simulator, , operator] = app.node.children as [Stack, Stack, Stack];
const template = Template.fromStack(simulator);

test('the simulator answers at an HTTP API, and keeps nothing', () => {
  template.hasResourceProperties('AWS::ApiGatewayV2::Api', { ProtocolType: 'HTTP' });
  template.hasResourceProperties('AWS::Lambda::Permission', { Principal: 'apigateway.amazonaws.com' });
  template.hasResource('AWS::DynamoDB::Table', { DeletionPolicy: 'Delete' });
  template.resourcePropertiesCountIs('AWS::Lambda::Function', { ReservedConcurrentExecutions: 1 }, 0);
});

test('the stacks and what the simulator has begin with the prefix of names', () => {
  expect(simulator.stackName).toBe('acme-LoanOrdersSimulator-rehearsal');
  expect(operator.stackName).toBe('acme-LoanOrdersOperator-rehearsal');
  const FunctionName = 'acme-loan-orders-rehearsal-simulator';
  template.hasResourceProperties('AWS::Lambda::Function', { FunctionName });
});

test('every finding in the stacks of a rehearsal is acknowledged, and no acknowledgement is needless', () => {
  const { failures, needless, wide } = checkedApp((checked) => {
    const rehearsal = withSimulator(checked, stageSettings('rehearsal'));
    addOperator(checked, rehearsal, new OrderStack(checked, 'LoanOrders-rehearsal', { stage: rehearsal }));
  });
  expect({ failures, needless, wide }).toEqual({ failures: [], needless: [], wide: [] });
});

const assemblyDirectory = writeAssembly({ Book: { Resources: { Book: tableOf('book', ['kind', 'item']) } } });
const aws = await startLocalAws({ assemblyDirectory });
for (const [name, value] of Object.entries({ ...aws.environment, SIMULATOR_TABLE: 'book' })) vi.stubEnv(name, value);
const { handler } = await import('../../infra/rehearsal/simulator/handler.ts');
const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
const { RecordTable } = await import('../../core/aws/record-table.ts');
const table = new RecordTable(new DynamoDBClient({}), 'book', 'kind');

afterAll(async () => {
  vi.unstubAllEnvs();
  await aws.close();
  rmSync(assemblyDirectory, { recursive: true });
});

let authorization = '';

async function ask(method: string, rawPath: string, type: string, body: string) {
  const event = {
    rawPath,
    rawQueryString: '',
    headers: { 'content-type': type, authorization },
    requestContext: { http: { method } },
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  };
  const result = await handler(event as unknown as APIGatewayProxyEventV2);
  const { statusCode, body: text = '' } = result as APIGatewayProxyStructuredResultV2;
  return { status: statusCode, text: Buffer.from(text, 'base64').toString() };
}

const askForToken = (secret: string, id = 'me') =>
  ask(
    'POST',
    '/oauth2/token',
    'application/x-www-form-urlencoded',
    `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`,
  );

beforeEach(async () => {
  await table.putItem({ kind: 'client', item: 'client', clientId: 'me', clientSecret: 'own' });
  authorization = `Bearer ${JSON.parse((await askForToken('own')).text).access_token}`;
});

const createOrder = async () =>
  JSON.parse((await ask('POST', '/v1/orders', 'application/json', '{}')).text).orderId as string;

test('nobody gets a token before there are credentials', async () => {
  authorization = '';
  await table.deleteItem({ kind: 'client', item: 'client' });
  for (const [secret, id] of [
    ['', 'partner'],
    ['simulated-secret', 'partner'],
    ['own', 'me'],
  ] as const)
    expect((await askForToken(secret, id)).status).toBe(401);
});

test('requests for one order at once are all carried out', async () => {
  const orderId = await createOrder();
  const read = async () => (await ask('GET', `/v1/orders/${orderId}`, '', '')).text;
  await expect.poll(read).toContain('WAITING_FOR_DOCUMENTS');
  const form = ['entityId', 'sourceEntityId', 'docType'].map(
    (name) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`,
  );
  const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\nPDF\r\n--x--\r\n';
  const upload = () =>
    ask('POST', `/v1/orders/${orderId}/documents`, 'multipart/form-data; boundary=x', form.join('') + file);
  const answers = await Promise.all([upload(), upload(), upload(), upload()]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  const kept = await table.queryItems<{ order: string }>('order');
  const { order = '' } = kept.find((one) => one.order.includes(orderId)) ?? {};
  expect(JSON.parse(order).uploadedDocuments).toHaveLength(4);
});

test('the table holds no token, and the simulator shows nobody its orders', async () => {
  await createOrder();
  const [kept] = await table.queryItems<{ item: string }>('token');
  expect(kept?.item).toMatch(/^[0-9a-f]{64}$/);
  expect((await ask('GET', '/simulator/orders', '', '')).text).toBe('[]');
});
