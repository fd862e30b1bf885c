import { provisionEventBus, provisionRule } from './event-resources.ts';
import { provisionManagedPolicy, provisionPolicy, provisionRole } from './identity-resources.ts';
import { provisionInert } from './inert-resources.ts';
import { provisionKey } from './key-resources.ts';
import { provisionEventInvokeConfig, provisionFunction, provisionVersion } from './lambda-resources.ts';
import { unsupported } from './properties.ts';
import type { Provisioning } from './provisioning.ts';
import { provisionEventSource, provisionQueue, provisionQueuePolicy } from './queue-resources.ts';
import { provisionSchedule, provisionScheduleGroup } from './schedule-resources.ts';
import type { Provision, ProvisionedResource, ResourceDeclaration } from './stack.ts';
import { provisionStateMachine } from './state-machine-resources.ts';
import { provisionBucket, provisionSecret, provisionTable } from './storage-resources.ts';
import { provisionSubscription, provisionTopic, provisionTopicPolicy } from './topic-resources.ts';
import { provisionApiDestination, provisionConnection } from './webhook-resources.ts';

type Provisioner = (declaration: ResourceDeclaration, provisioning: Provisioning) => ProvisionedResource;

const PROVISIONERS: Record<string, Provisioner> = {
  'AWS::S3::Bucket': provisionBucket,
  'AWS::DynamoDB::Table': provisionTable,
  'AWS::SecretsManager::Secret': provisionSecret,
  'AWS::SQS::Queue': provisionQueue,
  'AWS::SQS::QueuePolicy': provisionQueuePolicy,
  'AWS::SNS::Subscription': provisionSubscription,
  'AWS::SNS::Topic': provisionTopic,
  'AWS::SNS::TopicPolicy': provisionTopicPolicy,
  'AWS::KMS::Key': provisionKey,
  'AWS::IAM::Role': provisionRole,
  'AWS::IAM::Policy': provisionPolicy,
  'AWS::IAM::ManagedPolicy': provisionManagedPolicy,
  'AWS::Lambda::Function': provisionFunction,
  'AWS::Lambda::Version': provisionVersion,
  'AWS::Lambda::EventInvokeConfig': provisionEventInvokeConfig,
  'AWS::Lambda::EventSourceMapping': provisionEventSource,
  'AWS::StepFunctions::StateMachine': provisionStateMachine,
  'AWS::Events::ApiDestination': provisionApiDestination,
  'AWS::Events::Connection': provisionConnection,
  'AWS::Events::EventBus': provisionEventBus,
  'AWS::Events::Rule': provisionRule,
  'AWS::Scheduler::Schedule': provisionSchedule,
  'AWS::Scheduler::ScheduleGroup': provisionScheduleGroup,
};

/** Creates resources of every supported type. Throws an UnsupportedError for any other type. */
export function createProvision(provisioning: Provisioning): Provision {
  return (declaration) => {
    const provisioner = PROVISIONERS[declaration.type];
    if (provisioner) return provisioner(declaration, provisioning);
    const inert = provisionInert(declaration, provisioning.account);
    if (inert) return inert;
    throw unsupported(declaration, 'is of a type that the embedded AWS does not support.');
  };
}
