import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startLocalAws } from '@business-loan-orders/embedded-aws';
import { App, CfnResource, Stack, TagManager } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { createApp } from '../../infra/app.ts';
import featureFlags from '../../infra/feature-flags.json' with { type: 'json' };
import { OrderStack } from '../../infra/order/stack.ts';
import { addOperator, withSimulator } from '../../infra/rehearsal/stack.ts';
import { mismatch } from '../../infra/stage-home.ts';
import { stageSettings } from '../../infra/stages.ts';
import { table as tableOf, writeAssembly } from '../../packages/embedded-aws/test/cloudformation/handmade-assembly.ts';
import { outcomeOf } from '../helpers/command-line.ts';
import { checkedApp } from '../helpers/nag-findings.ts';
import { KEY_ARN } from '../helpers/stack-rules.ts';
import { stagesWith } from '../helpers/stage-files.ts';
import { orderStack, unbundledApp, warningsOf, withoutTraces } from '../helpers/template.ts';

test('the app refuses a context with one sentence and the status 1', async () => {
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ stage: 'production' }) };
  expect(await outcomeOf(['bin/app.ts'], { cwd, env })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Stage production is unknown: stages has no file of it. Stages there: local, prod, rehearsal, test.\n',
  });
});

test.each([
  [{ stage: 123 }, /^Stage "123" cannot have this name: [^\n]+$/],
  [{ stage: 'prod', stages: 5 }, /^The folder of stages 5 cannot be read \(ENOENT\): [^\n]+$/],
])('the context %j is refused with one sentence', (context, sentence) => {
  expect(() => createApp({ context })).toThrow(sentence);
});

test('feature-flags.json decides every feature flag of this version of the CDK, so that a synth lists none', () => {
  const path = fileURLToPath(import.meta.resolve('aws-cdk-lib/recommended-feature-flags.json'));
  const flags = Object.keys(JSON.parse(readFileSync(path, 'utf8')));
  expect(flags.filter((flag) => !(flag in featureFlags))).toEqual([]);
});

const home = { account: '111122223333', region: 'eu-central-1' };
const away = { account: '444455556666', region: 'us-east-1' };
const anywhere = stageSettings('test');
const stage = { ...anywhere, ...home };

test('a stage is deployed to its account and region, or to those of the credentials', () => {
  expect(orderStack('test').environment).toBe('aws://unknown-account/unknown-region');
  expect(orderStack('test', () => stage).environment).toBe('aws://111122223333/eu-central-1');
});

test('credentials of another account and another region are refused, and what is not known is not compared', () => {
  for (const actual of [away, home, {}]) expect(mismatch(anywhere, actual)).toBeUndefined();
  for (const actual of [home, { account: undefined }]) expect(mismatch(stage, actual)).toBeUndefined();
  expect(mismatch(stage, away)).toBe(
    'The credentials are of account 444455556666, but stage test belongs to account 111122223333: ' +
      'sign in to that account, then repeat.',
  );
  expect(mismatch(stage, { ...home, region: away.region })).toBe(
    'The region is us-east-1, but stage test belongs to region eu-central-1: set AWS_REGION to it, then repeat.',
  );
});

test.each([
  ['cn-north-1', 'AWS_REGION is cn-north-1, but must be a region of the partition aws: in China, GovCloud and other'],
  ['us-gov-west-1', 'AWS_REGION is us-gov-west-1, but must be a region of the partition aws'],
  ['us-east-1', 'encryption must be in the region of the stage, us-east-1.'],
])('credentials for %s are refused', (name, sentence) => {
  vi.stubEnv('CDK_DEFAULT_REGION', name);
  const { name: _name, ...settings } = { ...anywhere, encryption: KEY_ARN };
  const context = { stage: 'test', stages: stagesWith({ 'test.json': settings }) };
  expect(() => createApp({ context })).toThrow(sentence);
  vi.unstubAllEnvs();
  expect(() => createApp({ context: { '@aws-cdk/core:permissionsBoundary': '{"name":"bounds"}' } })).toThrow('ignore');
});

test('a region that the CDK does not know may be new, or misspelled', () => {
  const warningsIn = (region: string) => {
    const { name: _name, ...settings } = anywhere;
    const context = { 'aws:cdk:bundling-stacks': [], stage: 'test' };
    const app = createApp({ context: { ...context, stages: stagesWith({ 'test.json': { ...settings, region } }) } });
    return warningsOf(app.node.findChild('LoanOrders-test') as OrderStack).join();
  };
  expect(warningsIn('eu-central-9')).toContain('The region eu-central-9 is not known');
  expect(warningsIn('eu-central-1')).not.toContain('not known');
});

const ARN = 'arn:aws:iam::111122223333:policy/bounds/loan-orders';
const orderService = { baseUrl: 'https://orders.bank.ru', authorizationUrl: 'https://login.bank.ru' };
const tags = { 'cost-centre': '4711', project: 'lending' };

const { stack, template } = withoutTraces(() => {
  const settings = { orderService, alarms: { notify: 'ops@partner.ru' }, permissionsBoundary: ARN, tags };
  const stages = stagesWith({ 'retail.json': { ...settings, namePrefix: 'acme' } });
  const context = { 'aws:cdk:bundling-stacks': [], stage: 'retail', stages };
  const app = createApp({ context, analyticsReporting: false, treeMetadata: false });
  const made = app.node.findChild('LoanOrders-retail') as OrderStack;
  return { stack: made, template: Template.fromStack(made) };
});

test('every role has the permissions boundary of the settings', () => {
  const roles = Object.values(template.findResources('AWS::IAM::Role'));
  expect(roles.map(({ Properties }) => Properties.PermissionsBoundary)).toEqual(Array(16).fill(ARN));
});

test('every resource that can have tags, and the stack, have those of the settings', () => {
  const all = { ...tags, stage: 'retail' };
  expect(stack.tags.tagValues()).toEqual(all);
  const resources = stack.node.findAll().filter(CfnResource.isCfnResource);
  const taggable = resources.filter((one) => TagManager.isTaggable(one) || TagManager.isTaggableV2(one));
  expect(taggable.length).toBeGreaterThan(60);
  const missing = taggable.filter((one) => {
    const tagged = TagManager.of(one)?.tagValues() ?? {};
    return !Object.entries(all).every(([key, value]) => tagged[key] === value);
  });
  // cfn-lint refuses tags of a dashboard. It gets those of the stack.
  expect(missing.map(({ cfnResourceType }) => cfnResourceType)).toEqual(['AWS::CloudWatch::Dashboard']);
});

test('every name begins with the prefix', () => {
  expect(stack.stackName).toBe('acme-LoanOrders-retail');
  const names = Object.values(template.toJSON().Resources as Record<string, { Properties?: object }>)
    .flatMap(({ Properties = {} }) => Object.entries(Properties))
    .filter(([property]) => /^(\w*Name)$/.test(property))
    .map(([, name]) => JSON.stringify(name));
  const ours = names.filter((name) => name.includes('loan-orders'));
  expect(ours.length).toBeGreaterThan(50);
  expect(ours.filter((name) => !name.includes('acme-loan-orders-retail'))).toEqual([]);
});

const idsOf = (rehearsal: string) =>
  createApp({ context: { stage: rehearsal, 'aws:cdk:bundling-stacks': [] } })
    .node.children.map(({ node }) => node.id)
    .filter((id) => id.startsWith('LoanOrders'));

test('only the stage rehearsal has the simulator and the role of operators', () => {
  expect(idsOf('rehearsal')).toEqual([
    'LoanOrdersSimulator-rehearsal',
    'LoanOrders-rehearsal',
    'LoanOrdersOperator-rehearsal',
  ]);
  expect(idsOf('test')).toEqual(['LoanOrders-test']);
  const rehearsal = stageSettings('test');
  expect(withSimulator(new App(), rehearsal)).toBe(rehearsal);
});

const app = unbundledApp('rehearsal');
const rehearsal = withSimulator(app, { ...stageSettings('rehearsal'), namePrefix: 'acme' });
addOperator(app, rehearsal, new Stack(app, 'Orders'));
const [simulator, , operator] = app.node.children as [Stack, Stack, Stack];
const simulatorTemplate = Template.fromStack(simulator);

test('the simulator answers at an HTTP API, and keeps nothing', () => {
  simulatorTemplate.hasResourceProperties('AWS::ApiGatewayV2::Api', { ProtocolType: 'HTTP' });
  simulatorTemplate.hasResourceProperties('AWS::Lambda::Permission', { Principal: 'apigateway.amazonaws.com' });
  simulatorTemplate.hasResource('AWS::DynamoDB::Table', { DeletionPolicy: 'Delete' });
  simulatorTemplate.resourcePropertiesCountIs('AWS::Lambda::Function', { ReservedConcurrentExecutions: 1 }, 0);
});

test('the stacks and what the simulator has begin with the prefix of names', () => {
  expect(simulator.stackName).toBe('acme-LoanOrdersSimulator-rehearsal');
  expect(operator.stackName).toBe('acme-LoanOrdersOperator-rehearsal');
  const FunctionName = 'acme-loan-orders-rehearsal-simulator';
  simulatorTemplate.hasResourceProperties('AWS::Lambda::Function', { FunctionName });
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
