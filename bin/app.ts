import { App, Tags } from 'aws-cdk-lib';
import { OrderStack } from '../infra/order-stack.ts';
import { stageSettings } from '../infra/stages.ts';

/** The app of one stage: `cdk synth -c stage=<test | prod | local>`. */
function synthesize(): void {
  const app = new App();
  const stage = stageSettings(app.node.tryGetContext('stage'));
  const stack = new OrderStack(app, `LoanOrders-${stage.name}`, {
    stage,
    description: `Business loan orders, stage ${stage.name}`,
    terminationProtection: stage.keepData,
  });
  Tags.of(stack).add('project', 'loan-orders');
  Tags.of(stack).add('stage', stage.name);
}

try {
  synthesize();
} catch (error) {
  // A setting that is missing or malformed is a sentence for people, not a stack trace.
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
