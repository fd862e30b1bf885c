import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { type CfnVersion, Version } from 'aws-cdk-lib/aws-lambda';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { acknowledge, acknowledgePatterns } from '../nag.ts';
import { constructId } from '../names.ts';
import type { Stage } from '../stages.ts';
import type { BundledFunction } from './bundled-function.ts';
import { logGroup } from './kept-data.ts';
import { ofThisAccount } from './rights.ts';

export interface StatesArns {
  stateMachine: string;
  executions: string;
}

/** ARNs built from the name of a state machine: functions need them before it exists. */
export function statesArns(scope: Construct, name: string): StatesArns {
  const arn = (resource: string, resourceName: string) =>
    Stack.of(scope).formatArn({ service: 'states', resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  return { stateMachine: arn('stateMachine', name), executions: arn('execution', `${name}:*`) };
}

/** AWS lets each state machine write to groups with this prefix, without a further entry in the size-limited resource policy. */
export const statesLogGroupName = (name: string) => `/aws/vendedlogs/states/${name}`;

interface WorkflowProps {
  stage: Stage;
  name: string;
  definition: object;
  /** The functions that the definition invokes, by name: `create-order` is `${CreateOrderArn}` in it. */
  functions: [name: string, BundledFunction][];
  /**
   * With it, the definition names versions of the functions. A running execution keeps its definition, so it then never meets code of
   * another release.
   */
  release?: string;
}

/** A Standard state machine, which may start itself. */
export function addWorkflow(scope: Construct, id: string, props: WorkflowProps): StateMachine {
  const { stage, name, definition, functions, release } = props;
  const workflow = new Construct(scope, id);
  const role = new Role(workflow, 'Role', { assumedBy: ofThisAccount(workflow, 'states.amazonaws.com') });
  // Executions of earlier releases need earlier versions.
  const resources = functions.map(([, { functionArn }]) => (release ? `${functionArn}:*` : functionArn));
  role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources }));
  acknowledgePatterns(role, resources, 'Executions of earlier releases invoke earlier versions of the same functions.');
  const self = [statesArns(workflow, name).stateMachine];
  role.addToPolicy(new PolicyStatement({ actions: ['states:StartExecution'], resources: self }));
  const stateMachine = new StateMachine(workflow, 'StateMachine', {
    stateMachineName: name,
    stateMachineType: StateMachineType.STANDARD,
    role,
    definitionBody: DefinitionBody.fromString(JSON.stringify(definition)),
    definitionSubstitutions: Object.fromEntries(
      functions.map(([target, made]) => [
        `${constructId(target)}Arn`,
        release ? versionOf(made, `${constructId(target)}CurrentVersion${release}`) : made.functionArn,
      ]),
    ),
    ...(stage.tracing.xray && { tracingEnabled: true }),
    logs: {
      destination: logGroup(workflow, 'StateMachine', stage, statesLogGroupName(name)),
      level: LogLevel.ALL,
      includeExecutionData: false,
    },
  });
  acknowledge(
    role,
    'IAM5[Resource::*]',
    'The log delivery of Step Functions, and X-Ray, need actions without resource-level permissions.',
  );
  return stateMachine;
}

/**
 * The ARN of the version of a release, whose environment names the release (order/release.ts). The CDK's own id of a version also changes
 * with the CDK, or when the stage names its account. Lambda would then refuse another version of the same code and configuration.
 */
function versionOf(made: BundledFunction, id: string): string {
  // Earlier versions are kept, because running executions use them. The rollback of a failed deployment deletes the version that it
  // created: otherwise the next deployment of the same code could not publish it.
  const version = new Version(made, 'Version', {
    lambda: made,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  (version.node.defaultChild as CfnVersion).overrideLogicalId(id);
  return version.functionArn;
}
