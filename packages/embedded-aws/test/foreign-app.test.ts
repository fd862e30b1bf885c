import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const nodeModules = join(import.meta.dirname, '../../../node_modules');

/** What a foreign project would write: it sends a message and waits until the state machine has ended. */
const program = `
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startLocalAws, VirtualClock } from './embedded-aws/index.ts';

const aws = await startLocalAws({ assemblyDirectory: 'cdk.out', clock: new VirtualClock(Date.UTC(2030, 0, 1)) });
const { Bucket, Queue, StateMachine } = aws.outputs.ThumbnailsStack;
const [s3, sqs, stepFunctions] = [S3Client, SQSClient, SFNClient].map((Client) => new Client(aws.clientSettings));
const { MessageId } = await sqs.send(new SendMessageCommand({ QueueUrl: Queue, MessageBody: 'a picture' }));
const executions = async () =>
  (await stepFunctions.send(new ListExecutionsCommand({ stateMachineArn: StateMachine }))).executions;
await aws.runUntil(async () => (await executions())[0]?.status === 'SUCCEEDED');
const [{ name, startDate, stopDate }] = await executions();
const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: MessageId }));
console.log(JSON.stringify({ isNamed: name === MessageId, waited: stopDate - startDate, receipt: await Body.transformToString() }));
await aws.close();
`;

test("a copy of this folder runs another project's CDK app, without anything else of this project", () => {
  const project = mkdtempSync(join(tmpdir(), 'foreign-project-'));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  cpSync(join(import.meta.dirname, 'foreign-app'), project, { recursive: true });
  cpSync(join(import.meta.dirname, '..'), join(project, 'embedded-aws'), { recursive: true });
  symlinkSync(nodeModules, join(project, 'node_modules'));
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, {
      cwd: project,
      encoding: 'utf8',
      env: { ...process.env, CDK_OUTDIR: join(project, 'cdk.out') },
    });
  run('bin/thumbnails.ts');
  expect(JSON.parse(run('--input-type=module', '--eval', program))).toEqual({
    isNamed: true,
    waited: 60_000,
    receipt: 'a picture',
  });
});
