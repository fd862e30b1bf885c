import { ArnFormat, CfnOutput, Stack } from 'aws-cdk-lib';
import { Effect, ManagedPolicy, PolicyStatement, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { SecretArn } from '../constructs/client-certificate.ts';
import { constructId } from '../constructs/construct-id.ts';
import {
  dataKey,
  READ_WITH_KEY,
  USE_TABLE_WITH_KEY,
  useOfKey,
  WRITE_OBJECTS_WITH_KEY,
} from '../constructs/data-key.ts';
import { acknowledgePatterns } from '../nag.ts';
import type { Stage } from '../stages.ts';
import {
  evidenceSigner,
  type PeopleResources,
  type Person,
  type PersonRights,
  people,
  rightsOfPeople,
} from './people-rights.ts';
import type { OrderStorage } from './storage.ts';
import { sweepName } from './sweep-schedule.ts';
import { orderStateMachineName } from './workflow.ts';

export interface OrderPeopleProps {
  stage: Stage;
  storage: OrderStorage;
  stateMachineArn: string;
  queues: IQueue[];
  deadLetters: IQueue[];
  secrets: SecretArn[];
  sweep: IFunction;
  /** The key that signs evidence, if the stage has one. */
  evidenceKey: IKey | undefined;
}

/** A managed policy for each person who works with the stage. Its ARN is an output, such as `SignerPolicy`. */
export class OrderPeople extends Construct {
  constructor(scope: Construct, id: string, props: OrderPeopleProps) {
    super(scope, id);
    const { stage } = props;
    const rights = rightsOfPeople(resourcesOf(this, props));
    const keyUse = keyUseOfPeople(this, stage);
    for (const person of people) {
      const { description, statements } = rights[person];
      this.add(person, { description, statements: [...statements, ...keyUse[person]] }, stage);
    }
    if (props.evidenceKey) this.add('evidence-signer', evidenceSigner(props.evidenceKey.keyArn), stage);
  }

  private add(person: string, { description, statements }: PersonRights, stage: Stage): void {
    const id = constructId(person);
    // Permission sets of IAM Identity Center refer to a policy by its name, which an account has once for all regions.
    const managedPolicyName = `loan-orders-${stage.name}-${person}-${Stack.of(this).region}`;
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

/** What each person does with the key that encrypts the data, if the stage has one. */
function keyUseOfPeople(scope: Construct, stage: Stage): Record<Person, PolicyStatementProps[]> {
  const key = dataKey(scope, stage);
  const use = (actions: string[], ...services: string[]) =>
    key ? [useOfKey(Stack.of(scope), key.keyArn, actions, services)] : [];
  return {
    'back-office': use(WRITE_OBJECTS_WITH_KEY, 's3', 'dynamodb'),
    signer: use(WRITE_OBJECTS_WITH_KEY, 's3', 'dynamodb'),
    'credit-desk': use(WRITE_OBJECTS_WITH_KEY, 's3', 'dynamodb'),
    operator: use(USE_TABLE_WITH_KEY, 's3', 'dynamodb', 'sqs', 'secretsmanager'),
    'data-protection': use(USE_TABLE_WITH_KEY, 's3', 'dynamodb'),
    auditor: use(READ_WITH_KEY, 's3', 'dynamodb'),
  };
}

function resourcesOf(scope: Construct, props: OrderPeopleProps): PeopleResources {
  const { stage, storage, stateMachineArn } = props;
  const stack = Stack.of(scope);
  const named = (service: string, resource: string, resourceName: string) =>
    stack.formatArn({ service, resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  return {
    intake: storage.intake.bucketArn,
    staging: storage.staging.bucketArn,
    orders: storage.orders.tableArn,
    // CloudFormation judges a request by the name of the stack, and asks for this very text.
    stack: stack.formatArn({ service: 'cloudformation', resource: 'stack', resourceName: `${stack.stackName}/*` }),
    stateMachine: stateMachineArn,
    executions: named('states', 'execution', `${orderStateMachineName(stage)}:*`),
    logGroups: named('logs', 'log-group', `/aws/*/loan-orders-${stage.name}*`),
    queues: props.queues.map(({ queueArn }) => queueArn),
    deadLetters: props.deadLetters.map(({ queueArn }) => queueArn),
    secrets: props.secrets.map(({ secretArn }) => secretArn),
    sweep: props.sweep.functionArn,
    schedule: stack.formatArn({
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `default/${sweepName(stage)}`,
    }),
    // CloudWatch asks for all alarms, whatever names a request has.
    alarms: named('cloudwatch', 'alarm', '*'),
  };
}
