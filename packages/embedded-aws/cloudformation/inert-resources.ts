import { type Account, arn } from '../account.ts';
import { physicalName } from './properties.ts';
import type { ProvisionedResource, ResourceDeclaration } from './stack.ts';

interface Inert {
  /** The values of `Ref` and `Arn` for the resource's name. Default: the name. */
  ref?: (name: string, account: Account) => string;
  arn?: (name: string, account: Account) => string;
  /** The property that sets the resource's name. */
  nameProperty?: string;
}

const iamArn = (kind: string) => (name: string, account: Account) =>
  `arn:aws:iam::${account.accountId}:${kind}/${name}`;

/** Resource types that have no effect on a laptop. They only have a name and an ARN, to which other resources may refer. */
const INERT: Record<string, Inert> = {
  'AWS::CDK::Metadata': {},
  'AWS::IAM::User': { nameProperty: 'UserName', arn: iamArn('user') },
  'AWS::IAM::Group': { nameProperty: 'GroupName', arn: iamArn('group') },
  'AWS::Events::Archive': { nameProperty: 'ArchiveName' },
  'AWS::Events::EventBusPolicy': {},
  'AWS::Lambda::Permission': {},
  'AWS::Logs::LogGroup': {
    nameProperty: 'LogGroupName',
    arn: (name, account) => arn(account, 'logs', `log-group:${name}:*`),
  },
  'AWS::Logs::MetricFilter': {},
  'AWS::Logs::QueryDefinition': {},
  'AWS::Logs::ResourcePolicy': {},
  'AWS::S3::BucketPolicy': {},
  'AWS::Chatbot::SlackChannelConfiguration': { nameProperty: 'ConfigurationName' },
  'AWS::SecretsManager::ResourcePolicy': {},
  'AWS::KMS::Alias': { nameProperty: 'AliasName' },
  'AWS::CloudWatch::Alarm': {
    nameProperty: 'AlarmName',
    arn: (name, account) => arn(account, 'cloudwatch', `alarm:${name}`),
  },
  'AWS::CloudWatch::CompositeAlarm': {
    nameProperty: 'AlarmName',
    arn: (name, account) => arn(account, 'cloudwatch', `alarm:${name}`),
  },
  'AWS::CloudWatch::Dashboard': { nameProperty: 'DashboardName' },
  'Custom::S3AutoDeleteObjects': {},
};

export function isInert(type: string): boolean {
  return type in INERT;
}

/** Undefined for a type that is not inert. */
export function provisionInert(declaration: ResourceDeclaration, account: Account): ProvisionedResource | undefined {
  const inert = INERT[declaration.type];
  if (!inert) return undefined;
  const given = inert.nameProperty === undefined ? undefined : declaration.properties[inert.nameProperty];
  const name = physicalName(declaration, given);
  const resourceArn = inert.arn?.(name, account) ?? name;
  const ref = inert.ref?.(name, account) ?? name;
  return { ref, attributes: { Arn: resourceArn, Id: name, KeyId: name, RoleId: name } };
}
