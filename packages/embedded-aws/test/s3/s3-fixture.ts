import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { onTestFinished } from 'vitest';
import { startHandmade } from '../cloudformation/handmade-assembly.ts';

export async function startS3(properties: object = {}) {
  const Resources = { Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'bucket', ...properties } } };
  const { aws, config, clock } = await startHandmade({ Stack: { Resources } });
  const s3 = new S3Client(config);
  onTestFinished(() => s3.destroy());
  const text = async (Key: string, VersionId?: string) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'bucket', Key, VersionId }));
    return Body?.transformToString();
  };
  return { aws, clock, s3, Bucket: 'bucket', text };
}
