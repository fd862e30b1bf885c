import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Effect, ManagedPolicy, PolicyStatement, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { alarmTopic } from '../constructs/alarm-topic.ts';
import {
  dataKey,
  READ_WITH_KEY,
  USE_TABLE_WITH_KEY,
  useOfKey,
  WRITE_OBJECTS_WITH_KEY,
} from '../constructs/data-key.ts';
import { addOutputs } from '../constructs/outputs.ts';
import { acknowledgePatterns } from '../nag.ts';
import { constructId, resourcesName } from '../names.ts';
import type { Stage } from '../stages.ts';
import {
  evidenceSigner,
  operatorsStage,
  type PeopleResources,
  type Person,
  type PersonRights,
  people,
  rightsOfPeople,
} from './people-rights.ts';

/** The ARNs of the stack's resources, and the name of the sweep's schedule. */
type Given = Omit<
  PeopleResources,
  'stack' | 'logGroups' | 'alarms' | 'alarmTopic' | 'adoptedTable' | 'givenBuckets'
> & {
  evidenceKey: string | undefined;
};

/** A managed policy for each person who works with the stage. Its ARN is an output, such as `SignerPolicy`. */
export function addPeople(scope: Construct, id: string, stage: Stage, { evidenceKey, ...given }: Given): void {
  const policies = new Construct(scope, id);
  const stack = Stack.of(scope);
  const named = (service: string, resource: string, resourceName: string) =>
    stack.formatArn({ service, resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  const resources = {
    ...given,
    // CloudFormation authorizes a request by the name of the stack, with exactly this resource.
    stack: stack.formatArn({ service: 'cloudformation', resource: 'stack', resourceName: `${stack.stackName}/*` }),
    logGroups: named('logs', 'log-group', `/aws/*/${resourcesName(stage)}*`),
    schedule: stack.formatArn({
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `default/${given.schedule}`,
    }),
    // CloudWatch authorizes against all alarms, whatever names a request has.
    alarms: named('cloudwatch', 'alarm', '*'),
    adoptedTable: stage.existing.table === undefined ? undefined : given.orders,
    givenBuckets: Object.values(stage.buckets)
      .flatMap((bucket) => bucket ?? [])
      .map((bucket) => stack.formatArn({ service: 's3', region: '', account: '', resource: bucket })),
    alarmTopic: alarmTopic(scope, stage)?.topicArn,
  };
  const readOutputs = { actions: ['cloudformation:DescribeStacks'], resources: [resources.stack] };
  const keyUse = keyUseOfPeople(scope, stage);
  for (const person of people) {
    const { description, statements } = rightsOfPeople[person](resources);
    addPolicy(policies, person, { description, statements: [readOutputs, ...statements, ...keyUse[person]] }, stage);
  }
  addPolicy(policies, 'operator-stage', operatorsStage(resources), stage);
  if (evidenceKey) addPolicy(policies, 'evidence-signer', evidenceSigner(evidenceKey), stage);
}

function addPolicy(scope: Construct, person: string, { description, statements }: PersonRights, stage: Stage): void {
  const id = constructId(person);
  // Permission sets of IAM Identity Center refer to a policy by its name, which is unique in an account across all regions.
  const managedPolicyName = `${resourcesName(stage)}-${person}-${Stack.of(scope).region}`;
  const policy = new ManagedPolicy(scope, id, {
    managedPolicyName,
    description,
    statements: statements.map((statement) => new PolicyStatement(statement)),
  });
  acknowledgePatterns(
    policy,
    // cdk-nag ignores denials.
    statements.filter(({ effect }) => effect !== Effect.DENY).flatMap(({ resources = [] }) => resources),
    'The names contain references of orders, which no deployment knows. The pattern is as narrow as the task of this person.',
  );
  addOutputs(scope, { [`${id}Policy`]: [policy.managedPolicyArn, description] });
}

/** Each person's rights to the key that encrypts the data, if the stage has one. */
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
