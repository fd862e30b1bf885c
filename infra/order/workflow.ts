import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { Definition } from '../../statemachine/order-definition.ts';
import type { BundledFunction } from '../constructs/bundled-function.ts';
import { constructId } from '../constructs/construct-id.ts';
import { logGroup } from '../constructs/log-group.ts';
import type { StatesArns } from '../constructs/rights.ts';
import { acknowledgePatterns, acknowledgeStateMachine } from '../nag.ts';
import type { Stage } from '../stages.ts';
import { type FunctionName, isStep } from './function-definitions.ts';
import type { OrderFunctions } from './functions.ts';

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

export interface OrderWorkflowProps {
  stage: Stage;
  functions: OrderFunctions;
  definition: Definition;
}

/**
 * The Standard state machine of `statemachine/order-definition.ts`. Its definition names versions of the functions. A running execution
 * keeps its definition, so it never meets code of another release.
 */
export class OrderWorkflow extends Construct {
  readonly stateMachine: StateMachine;

  constructor(scope: Construct, id: string, { stage, functions, definition }: OrderWorkflowProps) {
    super(scope, id);
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('states.amazonaws.com') });
    const invoked = Object.entries(functions.byName).filter(([name]) => isStep(name as FunctionName));
    allowVersions(
      role,
      invoked.map(([, target]) => target),
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
      definitionBody: DefinitionBody.fromString(JSON.stringify(definition)),
      definitionSubstitutions: Object.fromEntries(
        invoked.map(([name, target]) => [`${constructId(name)}Arn`, target.currentVersion.functionArn]),
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

/** Lets the role invoke every version of these functions: executions of earlier releases need earlier versions. */
function allowVersions(role: Role, functions: readonly BundledFunction[]): void {
  const resources = functions.map(({ functionArn }) => `${functionArn}:*`);
  role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources }));
  acknowledgePatterns(role, resources, 'Executions of earlier releases invoke earlier versions of the same functions.');
}
