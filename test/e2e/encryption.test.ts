import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { otherStage } from '../helpers/assemblies.ts';
import { openWorld, submit } from '../helpers/open-world.ts';

/** Its data is encrypted with a key that the stack creates. */
const world = await openWorld({ assemblyDirectory: otherStage(() => ({ encryption: 'stack-key' })) });

test('an order closes when all data is encrypted with a key of the stack, with the rights of the functions', async () => {
  await submit(world, 'encrypted');
  expect(await world.untilEnd('encrypted')).toMatchObject({ status: 'CLOSED' });
});

test('the back office uploads to the encrypted bucket with the rights of its policy', async () => {
  const backOffice = new S3Client(world.aws.addPerson('back-office', world.outputs.BackOfficePolicy ?? ''));
  const upload = { Bucket: world.outputs.IntakeBucket, Key: 'orders/a/documents/a.pdf', Body: 'a' };
  expect(await backOffice.send(new PutObjectCommand(upload))).toHaveProperty('VersionId');
});
