import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { queuePolicy, received, startHandmade } from '../cloudformation/handmade-assembly.ts';

const EventBridge = { NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } } };
const bucket = (BucketName: string, more: object = {}) => ({
  Type: 'AWS::S3::Bucket',
  Properties: { BucketName, ...more },
});

/** A bucket that sends events, a bucket that does not, and a queue for all S3 events. */
async function start() {
  const { aws, config } = await startHandmade({
    Stack: {
      Resources: {
        Loud: bucket('loud', { ...EventBridge, VersioningConfiguration: { Status: 'Enabled' } }),
        Quiet: bucket('quiet'),
        Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'queue' } },
        Policy: queuePolicy('Queue'),
        Rule: {
          Type: 'AWS::Events::Rule',
          Properties: {
            EventPattern: { source: ['aws.s3'] },
            Targets: [{ Id: 'T', Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] } }],
          },
        },
      },
    },
  });
  const s3 = new S3Client(config);
  onTestFinished(() => s3.destroy());
  return { s3, events: () => received(aws, 'queue') };
}

describe('a bucket that notifies EventBridge', () => {
  it('sends the same event as S3 for a new object, with its unencoded key', async () => {
    const { s3, events } = await start();
    const put = await s3.send(new PutObjectCommand({ Bucket: 'loud', Key: 'a b+c/ё.json', Body: 'hello' }));
    expect(await events()).toEqual([
      {
        version: '0',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        'detail-type': 'Object Created',
        source: 'aws.s3',
        account: '000000000000',
        time: '2030-01-01T00:00:00Z',
        region: 'us-east-1',
        resources: ['arn:aws:s3:::loud'],
        detail: {
          version: '0',
          bucket: { name: 'loud' },
          object: {
            key: 'a b+c/ё.json',
            size: 5,
            etag: '5d41402abc4b2a76b9719d911017c592',
            'version-id': put.VersionId,
            sequencer: expect.stringMatching(/^[0-9A-F]{18}$/),
          },
          'request-id': expect.stringMatching(/^[0-9A-F]{16}$/),
          requester: '000000000000',
          'source-ip-address': '127.0.0.1',
          reason: 'PutObject',
        },
      },
    ]);
  });
});
