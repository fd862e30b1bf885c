import { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, test } from 'vitest';
import { acknowledge } from '../../infra/nag.ts';
import { OrderStack } from '../../infra/order/stack.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { appFor, checkedApp, failuresOf } from '../helpers/nag-findings.ts';
import { adopting, creating, given } from '../helpers/variants.ts';

test('a finding fails the synth with its name until the construct acknowledges it', () => {
  const app = appFor();
  const queue = new Queue(new Stack(app, 'Checked'), 'Queue');
  acknowledge(queue, 'SQS3', 'Nothing of it matters here.');
  expect(failuresOf(app)).toEqual(['AwsSolutions::AwsSolutions-SQS4']);
});

const variants: [title: string, name: string, change: (stage: Stage) => Stage][] = [
  ['prod', 'prod', (stage) => stage],
  ['local', 'local', (stage) => stage],
  ['all that a stack creates', 'prod', creating],
  ['given keys, network and topic', 'prod', given],
  ['given table and buckets', 'prod', adopting],
];

test.each(variants)(
  'every finding is acknowledged, on one resource or role, and no acknowledgement is needless: %s',
  (_title, name, change) => {
    const stage = change(stageSettings(name));
    const { failures, found, needless, wide } = checkedApp(
      (app) => new OrderStack(app, `LoanOrders-${name}`, { stage }),
    );
    expect(failures).toEqual([]);
    expect(found.length).toBeGreaterThan(100);
    expect({ needless, wide }).toEqual({ needless: [], wide: [] });
  },
);
