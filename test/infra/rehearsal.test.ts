import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { createApp } from '../../infra/app.ts';
import { OrderStack } from '../../infra/order/stack.ts';
import { addOperator, withSimulator } from '../../infra/rehearsal/stack.ts';
import { stageSettings } from '../../infra/stages.ts';
import { checkedApp } from '../helpers/nag-findings.ts';

const SIMULATOR = 'LoanOrdersSimulator-rehearsal';

const stacksOf = (stage: string) =>
  createApp({ context: { stage } }).node.children.filter(({ node }) => /^LoanOrders/.test(node.id));
const rehearsal = stacksOf('rehearsal');

test('only the stage rehearsal has the simulator and the role of operators', () => {
  expect(rehearsal.map(({ node }) => node.id)).toEqual([
    SIMULATOR,
    'LoanOrders-rehearsal',
    'LoanOrdersOperator-rehearsal',
  ]);
  expect(stacksOf('test').map(({ node }) => node.id)).toEqual(['LoanOrders-test']);
  const app = new App();
  const stage = stageSettings('test');
  expect(withSimulator(app, stage)).toBe(stage);
});

test('the simulator answers at a URL without authentication, and keeps nothing', () => {
  const template = Template.fromStack(rehearsal.find(({ node }) => node.id === SIMULATOR) as Stack);
  template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE' });
  template.hasResource('AWS::DynamoDB::Table', { DeletionPolicy: 'Delete' });
  template.resourcePropertiesCountIs('AWS::Lambda::Function', { ReservedConcurrentExecutions: 1 }, 0);
});

test('the stacks and what the simulator has begin with the prefix of names', () => {
  const app = new App({ builtinCloudFormationValidation: false });
  const stage = withSimulator(app, { ...stageSettings('rehearsal'), namePrefix: 'acme' });
  addOperator(app, stage, new Stack(app, 'Orders'));
  const [simulator, , operator] = app.node.children as [Stack, Stack, Stack];
  expect(simulator.stackName).toBe('acme-LoanOrdersSimulator-rehearsal');
  expect(operator.stackName).toBe('acme-LoanOrdersOperator-rehearsal');
  const FunctionName = 'acme-loan-orders-rehearsal-simulator';
  Template.fromStack(simulator).hasResourceProperties('AWS::Lambda::Function', { FunctionName });
});

test('every finding in the stacks of a rehearsal is acknowledged, and no acknowledgement is needless', () => {
  const { failures, needless, wide } = checkedApp((app) => {
    const stage = withSimulator(app, stageSettings('rehearsal'));
    addOperator(app, stage, new OrderStack(app, 'LoanOrders-rehearsal', { stage }));
  });
  expect({ failures, needless, wide }).toEqual({ failures: [], needless: [], wide: [] });
});
