import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
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

  it('names the reason of each change, with a growing sequencer', async () => {
    const { s3, events } = await start();
    const { VersionId } = await s3.send(new PutObjectCommand({ Bucket: 'loud', Key: 'k', Body: 'x' }));
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket: 'loud', Key: 'k' }));
    const part = { Bucket: 'loud', Key: 'k', UploadId };
    const { ETag } = await s3.send(new UploadPartCommand({ ...part, PartNumber: 1, Body: 'xyz' }));
    const Parts = [{ PartNumber: 1, ETag }];
    await s3.send(new CompleteMultipartUploadCommand({ ...part, MultipartUpload: { Parts } }));
    await s3.send(new DeleteObjectCommand({ Bucket: 'loud', Key: 'k' }));
    await s3.send(new DeleteObjectCommand({ Bucket: 'loud', Key: 'k', VersionId }));
    const all = await events();
    expect(all.map((event) => [event['detail-type'], event.detail.reason, event.detail['deletion-type']])).toEqual([
      ['Object Created', 'PutObject', undefined],
      ['Object Created', 'CompleteMultipartUpload', undefined],
      ['Object Deleted', 'DeleteObject', 'Delete Marker Created'],
      ['Object Deleted', 'DeleteObject', 'Permanently Deleted'],
    ]);
    const [put, completed, marked] = all.map(({ detail }) => detail.object.sequencer);
    expect([put < completed, completed < marked]).toEqual([true, true]);
  });
});

describe('a bucket that does not notify EventBridge', () => {
  it('sends no event', async () => {
    const { s3, events } = await start();
    await s3.send(new PutObjectCommand({ Bucket: 'quiet', Key: 'k', Body: 'x' }));
    await s3.send(new DeleteObjectCommand({ Bucket: 'quiet', Key: 'k' }));
    expect(await events()).toEqual([]);
  });
});
