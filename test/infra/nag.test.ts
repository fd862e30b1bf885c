import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { acknowledge, checkWithNag } from '../../infra/nag.ts';

/** The error of a synth with a queue that has no dead-letter queue and accepts plain HTTP. */
function findings(...acknowledged: string[]): string[] {
  const outdir = mkdtempSync(join(tmpdir(), 'nag-'));
  onTestFinished(() => rmSync(outdir, { recursive: true, force: true }));
  const app = new App({ outdir, analyticsReporting: false });
  const queue = new Queue(new Stack(app, 'Checked'), 'Queue');
  checkWithNag(app);
  for (const finding of acknowledged) acknowledge(queue, finding, 'Nothing of it matters here.');
  try {
    app.synth();
    return [];
  } catch (error) {
    return (error as Error).message.match(/(?<=')AwsSolutions::.*(?=')/g)?.toSorted() ?? [String(error)];
  }
}

test('a cdk-nag finding fails the synth with its name', () => {
  expect(findings()).toEqual(['AwsSolutions::AwsSolutions-SQS3', 'AwsSolutions::AwsSolutions-SQS4']);
});

test('only the cdk-nag findings that a construct acknowledges are accepted', () => {
  expect(findings('SQS3')).toEqual(['AwsSolutions::AwsSolutions-SQS4']);
  expect(findings('SQS3', 'SQS4')).toEqual([]);
});
