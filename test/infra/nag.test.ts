import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { acknowledge, checkWithNag } from '../../infra/nag.ts';

/** An app with a queue that keeps nothing when its messages fail, and takes them over plain HTTP. */
function appWithQueue(): { app: App; queue: Queue; findings: () => string[] } {
  const outdir = mkdtempSync(join(tmpdir(), 'nag-'));
  onTestFinished(() => rmSync(outdir, { recursive: true, force: true }));
  const app = new App({ outdir, analyticsReporting: false });
  const queue = new Queue(new Stack(app, 'Checked'), 'Queue');
  checkWithNag(app);
  const report = () => readFileSync(join(outdir, 'validation-report.json'), 'utf8');
  return { app, queue, findings: () => [...new Set(report().match(/AwsSolutions-SQS\d/g))].sort() };
}

test('a finding fails the synth by its name', () => {
  const { app, findings } = appWithQueue();
  expect(() => app.synth()).toThrow('Validation failed');
  expect(findings()).toEqual(['AwsSolutions-SQS3', 'AwsSolutions-SQS4']);
});

test('a finding that its construct acknowledges stands, and no other', () => {
  const { app, queue, findings } = appWithQueue();
  acknowledge(queue, 'SQS3', 'What fails here may go.');
  expect(() => app.synth()).toThrow('Validation failed');
  expect(findings()).toEqual(['AwsSolutions-SQS4']);
  const { app: clean, queue: acknowledged } = appWithQueue();
  for (const rule of ['SQS3', 'SQS4']) acknowledge(acknowledged, rule, 'Nothing of it matters here.');
  expect(() => clean.synth()).not.toThrow();
});
