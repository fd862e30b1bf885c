import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { createApp } from '../../infra/app.ts';
import { OrderStack } from '../../infra/order/stack.ts';
import { addOperator, withSimulator } from '../../infra/rehearsal/stack.ts';
import { stageSettings } from '../../infra/stages.ts';
import { checkedApp } from '../helpers/nag-findings.ts';
import { unbundledApp } from '../helpers/template.ts';

const idsOf = (stage: string) =>
  createApp({ context: { stage, 'aws:cdk:bundling-stacks': [] } })
    .node.children.map(({ node }) => node.id)
    .filter((id) => id.startsWith('LoanOrders'));

test('only the stage rehearsal has the simulator and the role of operators', () => {
  expect(idsOf('rehearsal')).toEqual([
    'LoanOrdersSimulator-rehearsal',
    'LoanOrders-rehearsal',
    'LoanOrdersOperator-rehearsal',
  ]);
  expect(idsOf('test')).toEqual(['LoanOrders-test']);
  const stage = stageSettings('test');
  expect(withSimulator(new App(), stage)).toBe(stage);
});

const app = unbundledApp('rehearsal');
const stage = withSimulator(app, { ...stageSettings('rehearsal'), namePrefix: 'acme' });
addOperator(app, stage, new Stack(app, 'Orders'));
const [simulator, , operator] = app.node.children as [Stack, Stack, Stack];
const template = Template.fromStack(simulator);

test('the simulator answers at a URL without authentication, and keeps nothing', () => {
  template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE' });
  template.hasResource('AWS::DynamoDB::Table', { DeletionPolicy: 'Delete' });
  template.resourcePropertiesCountIs('AWS::Lambda::Function', { ReservedConcurrentExecutions: 1 }, 0);
});

test('the stacks and what the simulator has begin with the prefix of names', () => {
  expect(simulator.stackName).toBe('acme-LoanOrdersSimulator-rehearsal');
  expect(operator.stackName).toBe('acme-LoanOrdersOperator-rehearsal');
  const FunctionName = 'acme-loan-orders-rehearsal-simulator';
  template.hasResourceProperties('AWS::Lambda::Function', { FunctionName });
});

test('every finding in the stacks of a rehearsal is acknowledged, and no acknowledgement is needless', () => {
  const { failures, needless, wide } = checkedApp((checked) => {
    const rehearsal = withSimulator(checked, stageSettings('rehearsal'));
    addOperator(checked, rehearsal, new OrderStack(checked, 'LoanOrders-rehearsal', { stage: rehearsal }));
  });
  expect({ failures, needless, wide }).toEqual({ failures: [], needless: [], wide: [] });
});
