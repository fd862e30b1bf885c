import { ListObjectVersionsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { SystemClock } from '@business-loan-orders/embedded-aws';
import { afterEach, expect, test, vi } from 'vitest';
import { empty, remove, whyNoRehearsal } from '../../../../commands/rehearse/remove.ts';
import { reportLines, withoutIdentifiers } from '../../../../commands/rehearse/report.ts';
import { bucket, startHandmade } from '../../../../packages/embedded-aws/test/cloudformation/handmade-assembly.ts';

afterEach(() => void vi.unstubAllEnvs());

const place = { stage: 'rehearsal' };
const DefinitionString = JSON.stringify({
  StartAt: 'Wait',
  States: { Wait: { Type: 'Wait', Seconds: 3_600, End: true } },
});
const orders = {
  Bucket: bucket('staging'),
  Machine: {
    Type: 'AWS::StepFunctions::StateMachine',
    Properties: { StateMachineName: 'order', RoleArn: 'arn:aws:iam::000000000000:role/order', DefinitionString },
  },
};

async function openAccount() {
  const clock = new SystemClock();
  const { aws, config } = await startHandmade({ 'LoanOrders-rehearsal': { Resources: orders } }, {}, { clock });
  for (const [name, value] of Object.entries(aws.environment)) vi.stubEnv(name, value);
  const [s3, sfn] = [new S3Client({ ...config, forcePathStyle: true }), new SFNClient(config)];
  for (const Body of ['first', 'second']) await s3.send(new PutObjectCommand({ Bucket: 'staging', Key: 'a', Body }));
  const stateMachineArn = `arn:aws:states:${aws.region}:${aws.accountId}:stateMachine:order`;
  const { executionArn } = await sfn.send(new StartExecutionCommand({ stateMachineArn }));
  return async () => {
    const { Versions = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: 'staging' }));
    const { status } = await sfn.send(new DescribeExecutionCommand({ executionArn }));
    return { versions: Versions.length, status };
  };
}

test("somebody's own stage with the name of the rehearsal is refused, and nothing of it is removed", async () => {
  const held = await openAccount();
  await expect(remove({ place, say: () => undefined })).rejects.toThrow(
    'Stack LoanOrders-rehearsal is no rehearsal: it has no simulator beside it. Nothing was removed.',
  );
  expect(await held()).toEqual({ versions: 2, status: 'RUNNING' });
  expect(whyNoRehearsal(true, true)).toBe('its stage keeps data');
});

test('before the stacks of a rehearsal are deleted, its executions are stopped and its buckets emptied', async () => {
  const held = await openAccount();
  await empty(place);
  expect(await held()).toEqual({ versions: 0, status: 'ABORTED' });
});

test('a report names nothing that identifies an account', () => {
  const said =
    'arn:aws:states:eu-central-1:111122223333:stateMachine:loan-orders of 111122223333, key AKIAIOSFODNN7EXAMPLE, https://abc.lambda-url.eu-central-1.on.aws/v1.';
  expect(withoutIdentifiers(said)).toBe('<arn> of <account>, key <access key>, <address>.');
});

test('a report counts what held and what differed', () => {
  const lines = reportLines('Rehearsal', [
    { check: 'gost', state: 'ok', message: 'It ended as CLOSED.' },
    { check: 'manual', state: 'problem', message: 'It should end as CLOSED, and is IN_WORK.' },
    { check: 'queues', state: 'not checked', message: 'Not checked in 111122223333.' },
  ]);
  expect(lines).toEqual([
    'Rehearsal',
    'ok  gost    It ended as CLOSED.',
    '!!  manual  It should end as CLOSED, and is IN_WORK.',
    '--  queues  Not checked in <account>.',
    '1 check held, 1 differed, 1 could not be checked.',
  ]);
});
