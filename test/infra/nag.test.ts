import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { acknowledge, checkWithNag } from '../../infra/nag.ts';

/** What the synth of an app fails with whose queue loses what fails, and takes messages over plain HTTP. */
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

test('a finding fails the synth by its name', () => {
  expect(findings()).toEqual(['AwsSolutions::AwsSolutions-SQS3', 'AwsSolutions::AwsSolutions-SQS4']);
});

test('a finding that its construct acknowledges stands, and no other', () => {
  expect(findings('SQS3')).toEqual(['AwsSolutions::AwsSolutions-SQS4']);
  expect(findings('SQS3', 'SQS4')).toEqual([]);
});
