import { CloudFormationClient, DescribeStacksCommand, ListExportsCommand } from '@aws-sdk/client-cloudformation';
import { ListBucketsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { START, startHandmade } from './handmade-assembly.ts';

const first = {
  Description: 'The first & only <one> with a bucket',
  Resources: { Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'bucket' } } },
  Outputs: { Name: { Value: { Ref: 'Bucket' }, Description: 'A & B' }, Odd: { Value: '<x> & "y"' } },
};

async function start() {
  const { aws, config } = await startHandmade({ First: first, Second: { Resources: {} } });
  return { aws, s3: new S3Client(config), client: new CloudFormationClient(config) };
}

test('DescribeStacks returns all stacks with their outputs, or one stack by name or id', async () => {
  const { client } = await start();
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({}));
  expect(Stacks.map(({ StackName }) => StackName)).toEqual(['First', 'Second']);
  expect(Stacks[0]).toMatchObject({
    StackId: 'arn:aws:cloudformation:us-east-1:000000000000:stack/First/local',
    StackStatus: 'CREATE_COMPLETE',
    Description: first.Description,
    CreationTime: new Date(START),
    Outputs: [
      { OutputKey: 'Name', OutputValue: 'bucket', Description: 'A & B' },
      { OutputKey: 'Odd', OutputValue: '<x> & "y"' },
    ],
  });
  expect(Stacks[1]?.Outputs ?? []).toEqual([]);
  for (const StackName of ['Second', Stacks[1]?.StackId]) {
    const { Stacks: found } = await client.send(new DescribeStacksCommand({ StackName }));
    expect(found).toEqual([Stacks[1]]);
  }
});

test('a request for an unsupported operation or service is refused with its name', async () => {
  const { client, aws } = await start();
  await expect(client.send(new ListExportsCommand({}))).rejects.toMatchObject({
    name: 'InvalidAction',
    message: expect.stringContaining('operation ListExports of cloudformation'),
  });
  const body = new URLSearchParams({ Action: 'Publish', Version: '2010-03-31' });
  const answer = await fetch(aws.endpoint, { method: 'POST', body });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toMatch(/<Code>InvalidAction<\/Code><Message>[^<]*Publish/);
});

test('requests other than a form posted to the root go to S3', async () => {
  const { s3, aws } = await start();
  const ContentType = 'application/x-www-form-urlencoded';
  await s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'form', Body: 'Action=DescribeStacks', ContentType }));
  expect((await s3.send(new ListBucketsCommand({}))).Buckets).toEqual([expect.objectContaining({ Name: 'bucket' })]);
  const posted = await fetch(`${aws.endpoint}/bucket`, { method: 'POST', body: new URLSearchParams({ Action: 'X' }) });
  expect(await posted.text()).not.toContain('InvalidAction');
  const listed = await fetch(aws.endpoint, { headers: { 'content-type': ContentType } });
  expect(await listed.text()).toContain('ListAllMyBucketsResult');
});
