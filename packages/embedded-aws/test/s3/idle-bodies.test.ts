import { PassThrough } from 'node:stream';
import {
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { START } from '../cloudformation/handmade-assembly.ts';
import { startS3 } from './s3-fixture.ts';

const IDLE = 20_000;

/** A request with half of its body. `idle` resolves when S3 waits for the other half. */
async function halfUploaded(checksums: 'WHEN_SUPPORTED' | 'WHEN_REQUIRED') {
  const { aws, clock, s3: other, Bucket } = await startS3();
  const s3 = new S3Client({ ...aws.clientSettings, requestChecksumCalculation: checksums });
  onTestFinished(() => s3.destroy());
  const Body = new PassThrough();
  Body.write('half of it');
  const target = { Bucket, Key: 'k', Body, ContentLength: 20 };
  const idle = () => expect.poll(() => clock.nextTimerAt()).toBe(START + IDLE);
  return { s3, other, clock, Bucket, Body, target, idle };
}

// S3 closes a connection on which no byte came for 20 seconds, with this error:
// github.com/awslabs/aws-sdk-android-samples/issues/250.
describe.each(['WHEN_SUPPORTED', 'WHEN_REQUIRED'] as const)(
  'A body whose client falls silent (checksum %s)',
  (sums) => {
    it('is refused as RequestTimeout, and nothing is stored', async () => {
      const { s3, other, clock, Bucket, target, idle } = await halfUploaded(sums);
      const put = s3.send(new PutObjectCommand(target)).catch((error: unknown) => error);
      await idle();
      clock.advanceTo(START + IDLE);
      expect(await put).toMatchObject({ name: 'RequestTimeout', $metadata: { httpStatusCode: 400 } });
      await expect(other.send(new HeadObjectCommand({ Bucket, Key: 'k' }))).rejects.toMatchObject({ name: 'NotFound' });
      expect(clock.nextTimerAt()).toBeUndefined();
    });

    it('is stored if the rest comes in time', async () => {
      const { s3, clock, Body, target, idle } = await halfUploaded(sums);
      const put = s3.send(new PutObjectCommand(target));
      await idle();
      clock.advanceTo(START + IDLE - 1);
      Body.end('the other.');
      expect(await put).toMatchObject({ $metadata: { httpStatusCode: 200 } });
      expect(clock.nextTimerAt()).toBeUndefined();
    });
  },
);

it('A part whose client falls silent is refused, too', async () => {
  const { s3, clock, target, idle } = await halfUploaded('WHEN_REQUIRED');
  const { Bucket, Key } = target;
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const part = s3.send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1 })).catch((error: unknown) => error);
  await idle();
  clock.advanceTo(START + IDLE);
  expect(await part).toMatchObject({ name: 'RequestTimeout' });
});
