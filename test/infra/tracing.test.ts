import { expect, test } from 'vitest';
import { orderTemplate, templateOf } from '../helpers/template.ts';
import { creating } from '../helpers/variants.ts';

const traced = orderTemplate('prod', creating);
const prod = templateOf('prod');

test('X-Ray traces every function and the state machine, if the stage says so', () => {
  const functions = Object.values(traced.findResources('AWS::Lambda::Function'));
  expect(functions.map(({ Properties }) => Properties.TracingConfig)).toEqual(
    functions.map(() => ({ Mode: 'Active' })),
  );
  const [machine] = Object.values(traced.findResources('AWS::StepFunctions::StateMachine'));
  expect(machine?.Properties.TracingConfiguration).toEqual({ Enabled: true });
  expect(JSON.stringify(prod)).not.toMatch(/xray:|Tracing/);
});

test('functions may only write traces, and the state machine may also ask which ones to write', () => {
  const policies = Object.values(traced.findResources('AWS::IAM::Policy'));
  const statements: { Action: string[] }[] = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
  const sets = statements
    .map(({ Action }) =>
      [Action]
        .flat()
        .flatMap((action) => /^xray:(.*)/.exec(action)?.[1] ?? [])
        .join(' '),
    )
    .filter((actions) => actions !== '');
  const functions = Object.keys(traced.findResources('AWS::Lambda::Function')).length;
  const write = 'PutTelemetryRecords PutTraceSegments';
  expect(sets.sort()).toEqual([
    `GetSamplingRules GetSamplingTargets ${write}`,
    ...Array.from({ length: functions }, () => write),
  ]);
});

test('the saved queries look at the log groups of all functions and of the state machine', () => {
  const queries = Object.values(prod.findResources('AWS::Logs::QueryDefinition'));
  expect(queries.map(({ Properties }) => Properties.Name)).toEqual(
    ['One order', 'Failures', 'Slow calls', 'Refused calls', 'One request'].map((name) => `loan-orders-prod/${name}`),
  );
  const groups = Object.entries(prod.findResources('AWS::Logs::LogGroup')).map(([id, { Properties }]) =>
    Properties.LogGroupName.startsWith('/aws/vendedlogs/') ? Properties.LogGroupName : { Ref: id },
  );
  for (const { Properties } of queries) {
    expect(Properties.LogGroupNames).toHaveLength(groups.length);
    expect(Properties.LogGroupNames).toEqual(expect.arrayContaining(groups));
  }
});
