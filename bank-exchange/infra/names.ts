import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Stage } from '../../infra/stages.ts';

export function stateMachineName(stage: Stage): string {
  return `loan-orders-${stage.name}-legacy`;
}

/** The ARN of the exchange's state machine or of all its executions, built from its name: functions need it before it exists. */
export function exchangeArn(scope: Construct, stage: Stage, resource: 'stateMachine' | 'execution'): string {
  const name = stateMachineName(stage);
  return Stack.of(scope).formatArn({
    service: 'states',
    resource,
    resourceName: resource === 'execution' ? `${name}:*` : name,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
