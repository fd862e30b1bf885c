import { readFileSync } from 'node:fs';
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { constructId } from '../constructs/construct-id.ts';
import { logGroup } from '../constructs/log-group.ts';
import type { StatesArns } from '../constructs/rights.ts';
import { checkHistoryLimit, type Definition } from '../history-limit.ts';
import { acknowledgeStateMachine } from '../nag.ts';
import type { Stage } from '../stages.ts';
import { type FunctionName, isStep } from './function-definitions.ts';
import type { OrderFunctions } from './functions.ts';

const definitionFile = new URL('../../statemachine/order.asl.json', import.meta.url);

/** ARNs built from the stage's names: functions need them before the state machine exists. */
export function orderStatesArns(scope: Construct, stage: Stage): StatesArns {
  const name = orderStateMachineName(stage);
  const arn = (resource: string, resourceName: string) =>
    Stack.of(scope).formatArn({ service: 'states', resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  return { stateMachine: arn('stateMachine', name), executions: arn('execution', `${name}:*`) };
}

export function orderStateMachineName(stage: Stage): string {
  return `loan-orders-${stage.name}`;
}

/** The Standard state machine of `statemachine/order.asl.json`, with the functions' ARNs. */
export class OrderWorkflow extends Construct {
  readonly stateMachine: StateMachine;

  constructor(scope: Construct, id: string, { stage, functions }: { stage: Stage; functions: OrderFunctions }) {
    super(scope, id);
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('states.amazonaws.com') });
    const invoked = Object.entries(functions.byName).filter(([name]) => isStep(name as FunctionName));
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: invoked.map(([, target]) => target.functionArn),
      }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: ['states:StartExecution'],
        resources: [orderStatesArns(this, stage).stateMachine],
      }),
    );
    this.stateMachine = new StateMachine(this, 'StateMachine', {
      stateMachineName: orderStateMachineName(stage),
      stateMachineType: StateMachineType.STANDARD,
      role,
      definitionBody: DefinitionBody.fromString(JSON.stringify(definition(stage))),
      definitionSubstitutions: Object.fromEntries(
        invoked.map(([name, target]) => [`${constructId(name)}Arn`, target.functionArn]),
      ),
      logs: {
        destination: logGroup(this, 'StateMachine', stage, `/aws/vendedlogs/states/loan-orders-${stage.name}`),
        level: LogLevel.ALL,
        includeExecutionData: false,
      },
    });
    acknowledgeStateMachine(this.stateMachine, role);
  }
}

/** Reads the definition, and checks that no execution can outgrow the history limit. */
function definition(stage: Stage): Definition {
  const parsed = JSON.parse(readFileSync(definitionFile, 'utf8')) as Definition;
  checkHistoryLimit(parsed, stage);
  return parsed;
}
