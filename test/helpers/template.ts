import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { inject } from 'vitest';
import featureFlags from '../../infra/feature-flags.json' with { type: 'json' };
import { OrderStack } from '../../infra/order/stack.ts';
import { type Stage, stageSettings } from '../../infra/stages.ts';

/** The stack of a stage without bundled functions, which the template does not need. */
export function orderStack(stage: string, change: (stage: Stage) => Stage = (same) => same): OrderStack {
  const app = unbundledApp(stage);
  return withoutTraces(() => new OrderStack(app, `LoanOrders-${stage}`, { stage: change(stageSettings(stage)) }));
}

export function unbundledApp(stage: string): App {
  return new App({
    outdir: mkdtempSync(join(inject('temporaryDirectory'), stage)),
    context: { ...featureFlags, 'aws:cdk:bundling-stacks': [] },
    // Validated once: test/infra/cloudformation.test.ts.
    builtinCloudFormationValidation: false,
    treeMetadata: false,
  });
}

/** Cuts stack traces to one frame. The CDK takes one for each construct, which is a sixth of the time. */
export function withoutTraces<Result>(create: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 1;
  try {
    return create();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The template of this stack. Nobody may change it, because tests of other files get the same one. */
export const orderTemplate = (...settings: Parameters<typeof orderStack>) =>
  keptTemplate('orders', orderStack, settings);
export const templateOf = (stage: string) => orderTemplate(stage);

export const functionsIn = (stack: Stack) => stack.node.findAll().filter((one) => one instanceof CfnFunction);

export const warningsOf = (stack: Stack): string[] =>
  stack.node
    .findAll()
    .flatMap(({ node }) =>
      node.metadata.filter(({ type }) => type === 'aws:cdk:warning').map(({ data }) => String(data)),
    );

const templates = new Map<string, Template>();

/** The template of a stack with these settings, which is synthesized once in each worker. */
export function keptTemplate(
  name: string,
  stackOf: (...settings: Parameters<typeof orderStack>) => Stack,
  [stage, change = (same) => same]: Parameters<typeof orderStack>,
): Template {
  const key = `${name} ${JSON.stringify(change(stageSettings(stage)))}`;
  const template = templates.get(key) ?? withoutTraces(() => Template.fromStack(stackOf(stage, change)));
  templates.set(key, template);
  return template;
}
