import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../commands/doctor/finding.ts';
import { doctor } from '../../commands/doctor.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { loanOrders, type Outcome } from '../helpers/command-line.ts';
import { inItsTime, outputOf } from '../helpers/commands-in.ts';
import { openWorld } from '../helpers/open-world.ts';

const world = await openWorld({ isNew: true, credentials: false });
const place = { stage: 'local', local: true, endpoint: world.aws.endpoint } as const;
const { clientId, clientSecret } = world.simulator.settings;

/** Runs `doctor` as a command, with a clock that is so much ahead of the clock of AWS, which is virtual. */
const run = (args: string[], secondsAhead = 0, environment?: Record<string, string>) =>
  inItsTime(world, () => loanOrders([...args, 'doctor'], environment), secondsAhead * 1000);

async function read(running: Promise<Outcome>, exitCode: number) {
  const { code, stdout, stderr } = await running;
  expect({ code, stderr }).toEqual({ code: exitCode, stderr: '' });
  expect(stdout).not.toContain(clientSecret);
  return byCheck(JSON.parse(stdout) as Finding[]);
}

const LOCAL = ['--local', '--endpoint', world.aws.endpoint];
const here = (exitCode: number, secondsAhead = 0) => read(run([...LOCAL, '--json'], secondsAhead), exitCode);
const onAws = (exitCode: number, environment: Record<string, string>, stage = 'local') =>
  read(run(['--stage', stage, '--json'], 0, { ...environment, HOME: '/nonexistent' }), exitCode);
const withRightsOf = (person: string, exitCode: number) =>
  onAws(exitCode, { ...world.aws.environment, AWS_ACCESS_KEY_ID: person });

function byCheck(findings: Finding[]) {
  const names = (state: Finding['state']) => findings.filter((one) => one.state === state).map(({ check }) => check);
  const messageOf = (name: string) => findings.find(({ check }) => check === name)?.message;
  return { problems: names('problem'), notChecked: names('not checked'), ok: names('ok'), messageOf };
}

async function against(settings: Partial<Stage>) {
  const { json } = await inItsTime(world, () => doctor(place, { ...stageSettings('local'), ...settings }));
  return byCheck(json as Finding[]);
}

const FIRST = ['outputs', 'secret', 'orders', 'lists', 'token', 'order service', 'creations', 'waits', 'answers'];
const AFTER_THE_STACK = [
  ...FIRST,
  'certificates',
  'queues',
  'dead letters',
  'alarms',
  'subscribers',
  'release',
  'update',
];

const putRight = () => world.putCredentials({ client_id: clientId, client_secret: clientSecret });
beforeAll(async () => {
  const { problems, notChecked, messageOf } = await here(1);
  expect({ problems, notChecked }).toEqual({ problems: ['secret'], notChecked: [] });
  expect(messageOf('secret')).toBe(
    'Secret loan-orders-local-credentials has no value. Put the credentials into it (docs/deployment.md#credentials).',
  );
  await putRight();
});

describe('when the secret has its credentials', () => {
  test('every line says ok, and the exit code is 0', async () => {
    const stdout = outputOf(await run(LOCAL));
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual(
      ['credentials', 'account, region', 'stack', ...AFTER_THE_STACK]
        .toSpliced(12, 0, 'clock', 'signatures')
        .map((check) => ['ok', check]),
    );
    expect(stdout).toContain('Secret loan-orders-local-credentials has a value, changed at 2026-01-01 00:00:00Z.');
    expect(stdout).toContain(`Release ${world.outputs.Release} is deployed.`);
    expect(stdout).not.toContain(clientSecret);
  });

  test('the rights of an operator are enough for every check but the content of the secret', async () => {
    world.aws.addPerson('AKIAOPERATOR', world.outputs.OperatorPolicy ?? '', world.outputs.OperatorStagePolicy ?? '');
    const { messageOf } = await withRightsOf('AKIAOPERATOR', 0);
    expect(messageOf('secret')).toContain('Whether it is complete was not checked');
  });

  test('a right that is missing is named in the line of its check', async () => {
    world.aws.addPerson('AKIACREDIT', world.outputs.CreditDeskPolicy ?? '');
    const { problems, notChecked, messageOf } = await withRightsOf('AKIACREDIT', 1);
    expect(problems).toEqual(['secret', 'orders', 'lists', 'queues', 'dead letters']);
    expect(notChecked).toEqual(['token', 'order service', 'creations', 'waits', 'answers', 'release']);
    expect(messageOf('secret')).toContain('lack the permission secretsmanager:DescribeSecret');
    expect(messageOf('orders')).toContain('lack the permission dynamodb:Query');
    expect(messageOf('queues')).toContain('lack the permission sqs:GetQueueAttributes');
  });

  test('credentials that may not look at the stack are accepted, and the line says what may be the cause', async () => {
    world.aws.addPerson('AKIANOBODY');
    const { problems, ok, messageOf } = await withRightsOf('AKIANOBODY', 1);
    expect(problems).toEqual(['stack']);
    expect(ok).toEqual(['credentials', 'account, region', 'clock', 'signatures']);
    expect(messageOf('stack')).toMatch(
      /lack the permission cloudformation:DescribeStacks .* Or the stack is not in this/,
    );
  });

  test('without credentials, nothing but the region is left to look at', async () => {
    const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _key, ...rest } = world.aws.environment;
    const environment = { ...rest, AWS_EC2_METADATA_DISABLED: 'true' };
    const { problems, notChecked, messageOf } = await onAws(1, environment);
    expect(problems).toEqual(['credentials']);
    expect(messageOf('credentials')).toContain('There are no AWS credentials. Sign in');
    expect(notChecked).toEqual(['stack', ...AFTER_THE_STACK].toSpliced(10, 0, 'clock'));
    expect(messageOf('stack')).toBe('Not checked: without credentials and a region, AWS was not asked.');
  });

  test('when nothing answers, the line of the stack says where', async () => {
    const { problems, notChecked, messageOf } = await read(run(['--endpoint', 'http://127.0.0.1:1', '--json']), 1);
    expect(problems).toEqual(['stack']);
    expect(messageOf('stack')).toContain("No connection to the laptop's AWS at http://127.0.0.1:1");
    expect(notChecked).toEqual(['credentials', ...AFTER_THE_STACK].toSpliced(10, 0, 'clock'));
  });

  test('a stage that is not deployed has no stack, and the later checks say that they did not run', async () => {
    const { problems, notChecked, ok, messageOf } = await onAws(1, world.aws.environment, 'prod');
    expect(problems).toEqual(['stack']);
    expect(messageOf('stack')).toContain('There is no stack LoanOrders-prod in this account and region.');
    expect(notChecked).toEqual(AFTER_THE_STACK.filter((check) => check !== 'certificates'));
    expect(ok).toEqual(['credentials', 'account, region', 'clock', 'signatures']);
    expect(messageOf('secret')).toBe('Not checked: stack LoanOrders-prod could not be read.');
  });

  test.each([
    [{ account: '111122223333' }, 'but stage local belongs to account 111122223333'],
    [{ region: 'eu-central-1' }, 'but stage local belongs to region eu-central-1'],
  ])('a stage that belongs elsewhere is not looked at: %j', async (settings, sentence) => {
    const { problems, notChecked, messageOf } = await against(settings);
    expect(problems).toEqual(['account, region']);
    expect(messageOf('account, region')).toContain(sentence);
    expect(notChecked).toEqual(['stack', ...AFTER_THE_STACK]);
  });

  test('an output that the settings ask for and the stack lacks is named', async () => {
    const { orderService } = stageSettings('local');
    const { problems, notChecked, messageOf } = await against({
      orderService: { ...orderService, clientCertificate: true },
    });
    expect(problems).toEqual(['outputs']);
    expect(messageOf('outputs')).toContain('The stack lacks 1 output: ClientCertificateSecret.');
    expect(notChecked).toEqual(['client certificate']);
  });

  test('a secret that is not complete is a problem, and nothing of it is printed', async () => {
    onTestFinished(putRight);
    await world.putCredentials({ client_id: clientId, client_sekret: 'never printed' });
    const { problems, messageOf } = await here(1);
    expect(problems).toEqual(['secret']);
    expect(messageOf('secret')).toContain('not a JSON object with client_id and client_secret');
    expect(messageOf('secret')).not.toMatch(/never printed|sekret/);
  });

  test.each([
    [60, '60 seconds ahead of', []],
    [90, '90 seconds ahead of', ['clock']],
    [-3600, '3600 seconds behind', ['clock']],
  ])('a clock that is off by %d seconds: %s', async (seconds, words, found) => {
    const { problems, messageOf } = await here(found.length, seconds);
    expect(problems).toEqual(found);
    expect(messageOf('clock')).toContain(words);
  });

  test('events in the queues are counted, and dead letters are a problem', async () => {
    const sqs = new SQSClient(world.aws.clientSettings);
    const send = (QueueUrl = '') => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' }));
    await send(world.outputs.CheckPackageDeadLetterQueueUrl);
    await send(world.outputs.DeadLetterQueueUrl);
    const { problems, messageOf } = await here(1);
    expect(problems).toEqual(['dead letters']);
    expect(messageOf('dead letters')).toMatch(
      /^There are 2 dead letters: 1 in loan-orders-local-check-package-dead-letters, since [\d-]+ [\d:]+Z, 1 in loan-orders-local-dead-letters, since /,
    );
    expect(messageOf('dead letters')).toBe((await here(1)).messageOf('dead letters'));
    expect(messageOf('queues')).toBe('Events on their way: check-package 0, receive-upload 0, record-end 0.');
    await world.aws.reset();
  });

  test('an order that failed as Unauthorized is a problem of the token, until it has been retried', async () => {
    const at = new Date(world.clock.now()).toISOString();
    const order = { generation: 1, createdAt: at, changedAt: at, failure: undefined };
    const put = (facts: Partial<OrderItem> & Pick<OrderItem, 'openFor'>) =>
      world.rewrite('refused', { ...order, waitingFor: facts.openFor, ...facts });
    onTestFinished(() => world.aws.reset());
    await put({ status: 'RECEIVED', openFor: 'operator', failure: { error: 'Unauthorized', cause: 'any', at } });
    const { problems, messageOf } = await here(1);
    expect(problems).toEqual(['orders', 'token']);
    expect(messageOf('orders')).toContain('an operator must look at 1: 1 Unauthorized.');
    expect(messageOf('token')).toMatch(/^1 order waits because of Unauthorized, the newest \(refused\) since 2026-/);
    expect(messageOf('token')).toContain('No order has been read at the service yet');
    await put({ status: 'IN_WORK', openFor: 'service' });
    expect((await here(0)).messageOf('token')).toMatch(/An order that the service answers for changed last at 2026-/);
  });

  test('docs/deployment.md removes a stage once doctor has seen that no execution waits any more', async () => {
    onTestFinished(() => world.aws.reset());
    await world.submitToSign('waits');
    const typed = (...args: string[]) => inItsTime(world, () => loanOrders([...LOCAL, ...args]));
    const executions = async () =>
      byCheck(JSON.parse((await typed('--json', 'doctor', '--empty')).stdout)).messageOf('executions');
    expect(await executions()).toMatch(/^Execution waits-1 runs\. Stop all \("loan-orders abort --all"\)/);
    for (const args of ['pause --reason removed', 'abort --all --yes'])
      expect(await typed(...args.split(' '))).toMatchObject({ code: 0 });
    expect(await executions()).toBe('No execution runs: the stage can be removed.');
  });
});
