import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { App } from 'aws-cdk-lib';
import { expect, inject, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { OrderStack } from '../../infra/order/stack.ts';
import { stageSettings } from '../../infra/stages.ts';
import { openWorld } from '../helpers/open-world.ts';
import { submit } from '../helpers/packages.ts';

/** The stack of stage `local`, whose data is encrypted with a key that it creates. */
function encryptedAssembly(): string {
  const outdir = mkdtempSync(join(inject('temporaryDirectory'), 'encrypted-'));
  const app = new App({ outdir, context: cdk.context, builtinCloudFormationValidation: false });
  new OrderStack(app, 'LoanOrders-local', { stage: { ...stageSettings('local'), encryption: 'stack-key' } });
  return app.synth().directory;
}

const world = await openWorld({ assemblyDirectory: encryptedAssembly() });

test('an order closes when all data is encrypted with a key of the stack, with the rights of the functions', async () => {
  await submit(world, 'encrypted');
  expect(await world.untilEnd('encrypted')).toMatchObject({ status: 'CLOSED' });
});

test('the back office uploads to the encrypted bucket with the rights of its policy', async () => {
  const backOffice = new S3Client(world.aws.addPerson('back-office', world.outputs.BackOfficePolicy ?? ''));
  const upload = { Bucket: world.outputs.IntakeBucket, Key: 'orders/a/documents/a.pdf', Body: 'a' };
  expect(await backOffice.send(new PutObjectCommand(upload))).toHaveProperty('VersionId');
});
