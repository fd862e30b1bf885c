import { CloudFormationClient, ListExportsCommand } from '@aws-sdk/client-cloudformation';
import { ListBucketsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { startHandmade } from './handmade-assembly.ts';

const Bucket = { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'bucket' } };

test('a request for an unsupported operation, parameter or service is refused with its name', async () => {
  const { aws, config } = await startHandmade({ Stack: { Resources: { Bucket } } });
  const [client, s3] = [new CloudFormationClient(config), new S3Client(config)];
  await expect(client.send(new ListExportsCommand({}))).rejects.toMatchObject({
    name: 'InvalidAction',
    message: expect.stringContaining('operation ListExports of cloudformation'),
  });
  await expect(s3.send(new ListBucketsCommand({}))).rejects.toThrow('does not implement GET /');
  const byFolder = new ListObjectsV2Command({ Bucket: 'bucket', Delimiter: '/' });
  await expect(s3.send(byFolder)).rejects.toThrow('does not implement a delimiter');
  const body = new URLSearchParams({ Action: 'Publish', Version: '2010-03-31' });
  const answer = await fetch(aws.endpoint, { method: 'POST', body });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toMatch(/<Code>InvalidAction<\/Code><Message>[^<]*Publish/);
});
