import { type Account, arn } from '../account.ts';
import type { Services } from '../services.ts';
import {
  createApiDestination,
  createConnection,
  createEventBusResource,
  createRule,
  createSubscription,
  createTopic,
  createTopicPolicy,
} from './event-resources.ts';
import { createKey, createManagedPolicy, createPolicy, createRole } from './identity-resources.ts';
import {
  createEventInvokeConfig,
  createFunction,
  createHttpApi,
  createPermission,
  createVersion,
} from './lambda-resources.ts';
import { checkProperties, physicalName, type Resource, unsupported } from './properties.ts';
import { createEventSource, createQueue, createQueuePolicy } from './queue-resources.ts';
import { createSchedule } from './schedule-resources.ts';
import type { Provision, ProvisionedResource, ResourceDeclaration } from './stack.ts';
import { createStateMachine } from './state-machine-resources.ts';
import { createBucket, createSecret, createTable, TABLE_PROPERTIES } from './storage-resources.ts';

type ResourceType = [
  create: (resource: Resource) => ProvisionedResource,
  /** The property with the name, and the maximum length of a generated name: `BucketName 63`. */
  named: string,
  /** The properties that have an effect, and those that are ignored. */
  reads: string,
  ignores?: string,
];

const TYPES: Record<string, ResourceType> = {
  'AWS::ApiGatewayV2::Api': [createHttpApi, 'Name 128', 'ProtocolType Target', 'Tags'],
  'AWS::DynamoDB::Table': [
    createTable,
    'TableName 255',
    `${TABLE_PROPERTIES} SSESpecification PointInTimeRecoverySpecification DeletionProtectionEnabled`,
    'TimeToLiveSpecification Tags TableClass ContributorInsightsSpecification ResourcePolicy OnDemandThroughput',
  ],
  'AWS::Events::ApiDestination': [
    createApiDestination,
    'Name 64',
    'ConnectionArn HttpMethod InvocationEndpoint',
    'Description InvocationRateLimitPerSecond',
  ],
  'AWS::Events::Connection': [createConnection, 'Name 64', 'AuthorizationType AuthParameters', 'Description'],
  'AWS::Events::EventBus': [
    createEventBusResource,
    'Name 64',
    '',
    'Description KmsKeyIdentifier LogConfig Policy Tags',
  ],
  'AWS::Events::Rule': [createRule, 'Name 64', 'EventPattern State Targets EventBusName', 'Description RoleArn Tags'],
  'AWS::IAM::ManagedPolicy': [createManagedPolicy, 'ManagedPolicyName 128', 'PolicyDocument Roles', 'Description Path'],
  'AWS::IAM::Policy': [createPolicy, 'PolicyName 64', 'PolicyDocument Roles', 'Users Groups'],
  'AWS::IAM::Role': [
    createRole,
    'RoleName 64',
    'AssumeRolePolicyDocument Policies ManagedPolicyArns PermissionsBoundary',
    'Description MaxSessionDuration Path Tags',
  ],
  'AWS::KMS::Key': [
    createKey,
    '- 64',
    'KeySpec KeyUsage KeyPolicy',
    'Description Enabled EnableKeyRotation MultiRegion Origin PendingWindowInDays RotationPeriodInDays Tags',
  ],
  'AWS::Lambda::EventInvokeConfig': [
    createEventInvokeConfig,
    '- 64',
    'FunctionName Qualifier MaximumRetryAttempts MaximumEventAgeInSeconds DestinationConfig',
  ],
  'AWS::Lambda::EventSourceMapping': [
    createEventSource,
    '- 64',
    'EventSourceArn FunctionName BatchSize FunctionResponseTypes ScalingConfig Enabled',
    'Tags MetricsConfig',
  ],
  'AWS::Lambda::Function': [
    createFunction,
    'FunctionName 64',
    'Code Handler Runtime Environment Timeout MemorySize Role ReservedConcurrentExecutions',
    'Architectures Description LoggingConfig TracingConfig Tags EphemeralStorage KmsKeyArn RecursiveLoop RuntimeManagementConfig',
  ],
  'AWS::Lambda::Permission': [
    createPermission,
    '- 64',
    'Action FunctionName Principal',
    'EventSourceToken FunctionUrlAuthType InvokedViaFunctionUrl PrincipalOrgID SourceAccount SourceArn',
  ],
  'AWS::Lambda::Version': [createVersion, '- 64', 'FunctionName', 'Description CodeSha256'],
  'AWS::S3::Bucket': [
    createBucket,
    'BucketName 63',
    'VersioningConfiguration NotificationConfiguration BucketEncryption',
    'PublicAccessBlockConfiguration LifecycleConfiguration OwnershipControls Tags AccessControl LoggingConfiguration MetricsConfigurations CorsConfiguration',
  ],
  'AWS::SNS::Subscription': [createSubscription, '- 64', 'TopicArn Protocol Endpoint'],
  'AWS::SNS::Topic': [createTopic, 'TopicName 64', 'KmsMasterKeyId', 'DisplayName Tags'],
  'AWS::SNS::TopicPolicy': [createTopicPolicy, '- 64', 'Topics PolicyDocument'],
  'AWS::SQS::Queue': [
    createQueue,
    'QueueName 80',
    'VisibilityTimeout MessageRetentionPeriod RedrivePolicy KmsMasterKeyId',
    'KmsDataKeyReusePeriodSeconds SqsManagedSseEnabled Tags ReceiveMessageWaitTimeSeconds MaximumMessageSize',
  ],
  'AWS::SQS::QueuePolicy': [createQueuePolicy, '- 64', 'Queues PolicyDocument'],
  'AWS::Scheduler::Schedule': [
    createSchedule,
    'Name 64',
    'GroupName ScheduleExpression ScheduleExpressionTimezone State Target FlexibleTimeWindow',
    'Description KmsKeyArn',
  ],
  'AWS::SecretsManager::Secret': [createSecret, 'Name 256', 'SecretString KmsKeyId', 'Description Tags'],
  'AWS::StepFunctions::StateMachine': [
    createStateMachine,
    'StateMachineName 80',
    'StateMachineType DefinitionString DefinitionSubstitutions RoleArn',
    'LoggingConfiguration TracingConfiguration EncryptionConfiguration Tags',
  ],
};

/**
 * Types that are accepted and ignored. Other resources may refer to their name and ARN: the property with the name, if there is
 * one, and a function for the ARN, if it is not the name.
 */
const INERT: Record<string, [nameProperty?: string, arn?: (name: string, account: Account) => string]> = {
  'AWS::CDK::Metadata': [],
  'AWS::Chatbot::SlackChannelConfiguration': ['ConfigurationName'],
  'AWS::CloudWatch::Alarm': ['AlarmName', (name, account) => arn(account, 'cloudwatch', `alarm:${name}`)],
  'AWS::CloudWatch::CompositeAlarm': ['AlarmName', (name, account) => arn(account, 'cloudwatch', `alarm:${name}`)],
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::Events::Archive': ['ArchiveName'],
  'AWS::Events::EventBusPolicy': [],
  'AWS::KMS::Alias': ['AliasName'],
  'AWS::Logs::LogGroup': ['LogGroupName', (name, account) => arn(account, 'logs', `log-group:${name}:*`)],
  'AWS::Logs::QueryDefinition': [],
  'AWS::S3::BucketPolicy': [],
};

export const isInert = (type: string) => Object.hasOwn(INERT, type);

export function createProvision(services: Services, startup: Resource['startup']): Provision {
  const { account } = services;
  return (declaration) => {
    const known = TYPES[declaration.type];
    if (!known) return inertResource(declaration, account);
    const [create, named, reads, ignores = ''] = known;
    const [nameProperty = '', longest = ''] = named.split(' ');
    checkProperties(declaration, `${nameProperty} ${reads} ${ignores}`.split(' '));
    const name = physicalName(declaration, declaration.properties[nameProperty], Number(longest));
    return create({ ...declaration, name, account, services, startup });
  };
}

function inertResource(declaration: ResourceDeclaration, account: Account): ProvisionedResource {
  const [nameProperty = '', arnOf] = INERT[declaration.type] ?? [];
  if (!isInert(declaration.type))
    throw unsupported(declaration, 'is of a type that the embedded AWS does not support.');
  const name = physicalName(declaration, declaration.properties[nameProperty], 64);
  return { ref: name, attributes: { Arn: arnOf?.(name, account) ?? name, Id: name } };
}
