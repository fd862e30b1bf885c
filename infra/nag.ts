import { type App, CfnResource, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, NIST80053R5Checks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { LAPTOP_STAGE } from './stage-folder.ts';
import type { Stage } from './stages.ts';

/**
 * Checks every resource against two packs of rules of cdk-nag: AWS Solutions, and NIST 800-53 revision 5. A finding fails the synth
 * unless it is acknowledged.
 */
export function checkWithNag(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new NIST80053R5Checks(app));
}

/**
 * Accepts a finding on a construct and its children: of the AWS Solutions rules, such as `S1` or `IAM5[Resource::*]`, or of the NIST
 * 800-53 rules, such as `LambdaDLQ`. The reason is for reviewers.
 */
export function acknowledge(construct: IConstruct, finding: string, reason: string): void {
  const pack = /^[A-Z]+\d+(\[|$)/.test(finding) ? 'AwsSolutions::AwsSolutions' : 'NIST.800.53.R5::NIST.800.53.R5';
  Validations.of(construct).acknowledge({ id: `${pack}-${finding}`, reason });
}

const NO_ACCESS_LOGS =
  "The account's own CloudTrail data events record access. Access logs would be one more bucket to protect.";
const NO_ROTATION = 'The service or an authority issues the value. The functions use a new one without a deployment.';
const OWN_KEYS = 'AWS encrypts it with its own keys. The setting encryption gives it another key.';

/** Findings that are accepted in every resource of a type, with the reasons. */
function acceptedByType({ name, encryption, network, tracing }: Stage): Record<string, Record<string, string>> {
  const withoutKey = (finding: string) => (encryption === 'aws-managed' ? { [finding]: OWN_KEYS } : {});
  return {
    'AWS::S3::Bucket': {
      S1: NO_ACCESS_LOGS,
      S3BucketLoggingEnabled: NO_ACCESS_LOGS,
      S3BucketReplicationEnabled:
        "Whether a copy of borrowers' personal data lies in a second region or account is the partner's decision.",
      ...withoutKey('S3DefaultEncryptionKMS'),
    },
    'AWS::DynamoDB::Table': {
      DynamoDBInBackupPlan:
        "Point-in-time recovery keeps every state of the last 35 days. A plan of AWS Backup belongs to the partner's account.",
    },
    'AWS::SecretsManager::Secret': {
      SMG4: NO_ROTATION,
      SecretsManagerRotationEnabled: NO_ROTATION,
      ...withoutKey('SecretsManagerUsingKMSKey'),
    },
    'AWS::Logs::LogGroup': withoutKey('CloudWatchLogGroupEncrypted'),
    'AWS::Lambda::Function': {
      LambdaConcurrency:
        "Reserved concurrency is taken from the account's quota, which is not known here. A throttled invocation is repeated.",
      LambdaDLQ:
        'Its failed events go to an on-failure destination or stay in its event queue, which this rule does not look at. Other errors go to the state machine.',
      ...(!network && {
        LambdaInsideVPC:
          'It accepts no connections, and calls only AWS and the service that it serves, by TLS. The setting network puts it into a VPC.',
      }),
    },
    'AWS::IAM::Policy': {
      IAMNoInlinePolicy:
        'These rights are for this role alone and end with it. Nobody can attach an inline policy to another role by mistake.',
    },
    'AWS::StepFunctions::StateMachine': tracing.xray
      ? {}
      : {
          SF2: 'The record and the history of each execution show what happened. The setting tracing.xray adds traces.',
        },
    'AWS::CloudWatch::Alarm':
      name === LAPTOP_STAGE ? { CloudWatchAlarmAction: 'Nobody evaluates the alarms of the laptop.' } : {},
  };
}

/** Accepts these findings in all resources of a type. Call it when all are there. */
export function acknowledgeResources(scope: IConstruct, stage: Stage): void {
  const accepted = acceptedByType(stage);
  for (const resource of scope.node.findAll().filter(CfnResource.isCfnResource)) {
    const findings = Object.entries(accepted[resource.cfnResourceType] ?? {});
    for (const [finding, reason] of findings) acknowledge(resource, finding, reason);
  }
}

/** Accepts that a role or a policy names its resources by patterns. Resources without a pattern need no acceptance. */
export function acknowledgePatterns(construct: IConstruct, resources: readonly string[], reason: string): void {
  const names = resources.map((resource) => findingName(Stack.of(construct).resolve(resource)));
  for (const name of new Set(names.filter((one) => one.includes('*'))))
    acknowledge(construct, `IAM5[Resource::${name}]`, reason);
}

/** A resource as cdk-nag names it in a finding. Angle brackets enclose values that only a deployment knows. */
function findingName(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = resource as Intrinsic;
  if (join) return join[1].map(findingName).join(join[0]);
  return `<${attribute ? attribute.join('.') : Ref}>`;
}

interface Intrinsic {
  Ref?: string;
  'Fn::GetAtt'?: string[];
  'Fn::Join'?: [string, unknown[]];
}
