import { App, Tags } from 'aws-cdk-lib';
import { OrderStack } from '../infra/order-stack.ts';
import { stageSettings } from '../infra/stages.ts';

const app = new App();
const stage = stageSettings(app.node.tryGetContext('stage'));
const stack = new OrderStack(app, `LoanOrders-${stage.name}`, {
  stage,
  description: `Business loan orders, stage ${stage.name}`,
  terminationProtection: stage.keepData,
});
Tags.of(stack).add('project', 'loan-orders');
Tags.of(stack).add('stage', stage.name);
