import { ArnFormat, CfnOutput, Stack } from 'aws-cdk-lib';
import { Effect, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { constructId } from '../constructs/construct-id.ts';
import { acknowledgePatterns } from '../nag.ts';
import type { Stage } from '../stages.ts';
import { type PeopleResources, type PersonRights, people, rightsOfPeople } from './people-rights.ts';
import type { OrderStorage } from './storage.ts';
import { orderStateMachineName } from './workflow.ts';

export interface OrderPeopleProps {
  stage: Stage;
  storage: OrderStorage;
  stateMachineArn: string;
}

/** A managed policy for each person who works with the stage. Its ARN is an output, such as `SignerPolicy`. */
export class OrderPeople extends Construct {
  constructor(scope: Construct, id: string, props: OrderPeopleProps) {
    super(scope, id);
    const rights = rightsOfPeople(resourcesOf(this, props));
    for (const person of people) this.add(person, rights[person], props.stage);
  }

  private add(person: string, { description, statements }: PersonRights, stage: Stage): void {
    const id = constructId(person);
    // Permission sets of IAM Identity Center refer to a policy by its name.
    const managedPolicyName = `loan-orders-${stage.name}-${person}`;
    const policy = new ManagedPolicy(this, id, {
      managedPolicyName,
      description,
      statements: statements.map((statement) => new PolicyStatement(statement)),
    });
    acknowledgePatterns(
      policy,
      // A denial may be as wide as it likes: cdk-nag does not look at it.
      statements.filter(({ effect }) => effect !== Effect.DENY).flatMap(({ resources = [] }) => resources),
      'The names contain references of orders, which no deployment knows. The pattern is as narrow as the task of this person.',
    );
    const output = new CfnOutput(this, `${id}Policy`, { value: policy.managedPolicyArn, description });
    output.overrideLogicalId(`${id}Policy`);
  }
}

function resourcesOf(scope: Construct, { stage, storage, stateMachineArn }: OrderPeopleProps): PeopleResources {
  const stack = Stack.of(scope);
  const named = (service: string, resource: string, resourceName: string) =>
    stack.formatArn({ service, resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  return {
    intake: storage.intake.bucketArn,
    staging: storage.staging.bucketArn,
    orders: storage.orders.tableArn,
    stack: stack.stackId,
    stateMachine: stateMachineArn,
    executions: named('states', 'execution', `${orderStateMachineName(stage)}:*`),
    logGroups: named('logs', 'log-group', `/aws/*/loan-orders-${stage.name}*`),
    alarms: named('cloudwatch', 'alarm', `loan-orders-${stage.name}-*`),
  };
}
