import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DeliveryWrapper } from '../../index.ts';
import { queuePolicy, received, START, startHandmade } from '../cloudformation/handmade-assembly.ts';

const target = (Id: string, name: string) => ({ Id, Arn: { 'Fn::GetAtt': [name, 'Arn'] } });

const Resources = {
  Bucket: {
    Type: 'AWS::S3::Bucket',
    Properties: {
      BucketName: 'bucket',
      NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
    },
  },
  First: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'first' } },
  Second: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'second' } },
  Policy: queuePolicy('First', 'Second'),
  Rule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventPattern: { source: ['aws.s3'] },
      Targets: [target('One', 'First'), target('Two', 'Second')],
    },
  },
};

/** A bucket whose events go to two queues. `keys` returns the keys in a queue's new events. */
async function start(deliveryWrapper: DeliveryWrapper) {
  const { aws, clock, config } = await startHandmade({ Stack: { Resources } }, {}, { deliveryWrapper });
  const s3 = new S3Client(config);
  onTestFinished(() => s3.destroy());
  const put = (Key: string) => s3.send(new PutObjectCommand({ Bucket: 'bucket', Key, Body: 'x' }));
  const keys = async (queue: string) => (await received(aws, queue)).map(({ detail }) => detail.object.key);
  return { clock, put, keys };
}

const keyOf = (event: Parameters<DeliveryWrapper>[0]) => (event.detail as { object: { key: string } }).object.key;

describe('a delivery wrapper', () => {
  it('is called for each target, and may deliver an event twice', async () => {
    const seen: unknown[] = [];
    const { put, keys } = await start((event, deliver) => {
      seen.push([event['detail-type'], keyOf(event)]);
      deliver();
      // The second copy for the first target.
      if (seen.length === 1) deliver();
    });
    await put('a');
    expect(await keys('first')).toEqual(['a', 'a']);
    expect(await keys('second')).toEqual(['a']);
    expect(seen).toEqual(Array(2).fill(['Object Created', 'a']));
  });

  it('may deliver an event later, after other events', async () => {
    const late: (() => void)[] = [];
    const { clock, put, keys } = await start((event, deliver) => {
      if (keyOf(event) === 'late') late.push(deliver);
      else deliver();
    });
    await put('late');
    clock.setTimeout(() => late.map((deliver) => deliver()), 60_000);
    await put('next');
    expect(await keys('first')).toEqual(['next']);
    clock.advanceTo(START + 59_999);
    expect(await keys('first')).toEqual([]);
    clock.advanceTo(START + 60_000);
    expect(await keys('first')).toEqual(['late']);
    expect(await keys('second')).toEqual(['next', 'late']);
  });

  it('loses an event that it does not deliver', async () => {
    const { put, keys } = await start((event, deliver) => {
      if (keyOf(event) !== 'lost') deliver();
    });
    await put('lost');
    await put('kept');
    expect(await keys('first')).toEqual(['kept']);
  });

  it('cannot change the event that the target gets', async () => {
    const { put, keys } = await start((event, deliver) => {
      event.detail = { object: { key: 'changed' } };
      deliver();
    });
    await put('a');
    expect(await keys('first')).toEqual(['a']);
  });
});
