import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { CfnSecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, type CfnFunction, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { stackSettings, variableOf } from '../../core/settings.ts';
import { timeouts } from '../../core/timeouts.ts';
import { acknowledge } from '../nag.ts';
import { resourcesName } from '../names.ts';
import type { Stage } from '../stages.ts';
import { bundledCode, type TextFile } from './bundled-code.ts';
import { allowDataKey, USE_TABLE_WITH_KEY } from './data-key.ts';
import { homeOf } from './home.ts';
import { logGroup } from './kept-data.ts';

export interface BundledFunctionProps {
  stage: Stage;
  /** Folder below `functions/`. The names of the function and its log group contain it and the stage. */
  name: string;
  /** Shown in the Lambda console. */
  description: string;
  environment?: Record<string, string>;
  /** For what is too large for the environment. */
  texts?: readonly TextFile[];
  /** Transfers files: needs more time, and more memory for network throughput. */
  files?: boolean;
  /** The most runs at once. Default: what the account has. */
  runsAtOnce?: number | undefined;
  /** For functions that are invoked asynchronously: the queue for events that failed after all retries. */
  deadLetters?: IQueue;
}

/** Memory of a function, in MiB. */
const MEMORY_MEBIBYTES = 512;
/** Memory of a function that transfers files: Lambda gives more network throughput with more memory. */
const FILE_MEMORY_MEBIBYTES = 1024;

/** Lambda's maximum for an asynchronous event. */
const EVENT_RETRIES = 2;
const EVENT_HOURS = 6;

/** A Lambda function with our defaults: Node 24 on arm64, one minified ESM bundle with its own SDK, its own log group. */
export class BundledFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: BundledFunctionProps) {
    const { stage, name, files = false, texts = [], deadLetters } = props;
    const functionName = `${resourcesName(stage)}-${name}`;
    const logs = logGroup(scope, id, stage, `/aws/lambda/${functionName}`);
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logs.grantWrite(role);
    // Every function uses the table. S3 and the secret need no more rights to the key.
    allowDataKey(role, stage, USE_TABLE_WITH_KEY, ['s3', 'dynamodb', 'secretsmanager']);
    allowNetwork(scope, role, functionName, stage);
    super(scope, id, {
      functionName,
      role,
      description: props.description,
      code: bundledCode(scope, name, texts),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: files ? FILE_MEMORY_MEBIBYTES : MEMORY_MEBIBYTES,
      timeout: Duration.seconds(files ? timeouts.fileFunctionSeconds : timeouts.functionSeconds),
      ...(props.runsAtOnce !== undefined && { reservedConcurrentExecutions: props.runsAtOnce }),
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        POWERTOOLS_SERVICE_NAME: functionName,
        [variableOf(stackSettings, 'stage')]: stage.name,
        ...props.environment,
        ...Object.fromEntries(texts.map(({ variable, file }) => [variable, file])),
      },
      ...(stage.tracing.xray && { tracing: Tracing.ACTIVE }),
      ...(deadLetters && {
        onFailure: new SqsDestination(deadLetters),
        retryAttempts: EVENT_RETRIES,
        maxEventAge: Duration.hours(EVENT_HOURS),
      }),
      logGroup: logs,
    });
    placeInNetwork(this.node.defaultChild as CfnFunction, stage);
    if (deadLetters?.encryptionMasterKey) acknowledgeQueueKey(role);
    if (stage.tracing.xray)
      acknowledge(role, 'IAM5[Resource::*]', 'X-Ray has no resource-level permissions for traces.');
  }
}

/** Accepts the rights that the CDK grants to senders of an encrypted queue. */
function acknowledgeQueueKey(role: Role): void {
  for (const action of ['kms:GenerateDataKey*', 'kms:ReEncrypt*'])
    acknowledge(role, `IAM5[Action::${action}]`, 'Lambda sends failed events to the encrypted queue, with one key.');
}

const GROUP = 'FunctionsSecurityGroup';
const HTTPS = 443;

/** The actions that Lambda needs to connect a function to a VPC. EC2 cannot limit these actions to resources that do not exist yet. */
const CONNECT = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** Lets Lambda connect the function to the stage's VPC, if it has one. Lambda acts with the function's role. */
function allowNetwork(scope: Construct, role: Role, functionName: string, { network }: Stage): void {
  if (!network) return;
  const functionArn = Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: functionName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  role.addToPolicy(new PolicyStatement({ actions: CONNECT, resources: ['*'] }));
  // The code of the function has the same role and needs none of this (Lambda's guide, "Giving Lambda functions access to a VPC").
  const conditions = { ArnEquals: { 'lambda:SourceFunctionArn': functionArn } };
  role.addToPolicy(new PolicyStatement({ effect: Effect.DENY, actions: CONNECT, resources: ['*'], conditions }));
  acknowledge(
    role,
    'IAM5[Resource::*]',
    'Lambda connects the function to the VPC with this role. A denial keeps the code of the function from it.',
  );
}

function placeInNetwork(target: CfnFunction, stage: Stage): void {
  const { network } = stage;
  if (!network) return;
  const securityGroupIds = network.securityGroups ?? [createdGroup(target, stage).attrGroupId];
  target.vpcConfig = { subnetIds: network.subnets, securityGroupIds };
}

/** The one security group of all functions of a stack. */
function createdGroup(scope: Construct, stage: Stage): CfnSecurityGroup {
  const home = homeOf(scope);
  const existing = home.node.tryFindChild(GROUP) as CfnSecurityGroup | undefined;
  if (existing) return existing;
  return new CfnSecurityGroup(home, GROUP, {
    groupDescription: `Functions of ${Stack.of(home).stackName}: no incoming connections, outgoing ones by TLS`,
    ...(stage.network && { vpcId: stage.network.vpc }),
    securityGroupEgress: portsOf(stage).map((port) => ({
      ipProtocol: 'tcp',
      fromPort: port,
      toPort: port,
      cidrIp: '0.0.0.0/0',
      description: port === HTTPS ? 'AWS and the order service' : 'The order service, or authorities',
    })),
  });
}

function portsOf({ orderService: { baseUrl, authorizationUrl }, signing: { revocation } }: Stage): number[] {
  const lists = revocation.from.length > 0 ? [80] : [];
  const ports = [baseUrl, authorizationUrl].map((address) => Number(URL.parse(address)?.port || HTTPS));
  return [...new Set([HTTPS, ...lists, ...ports])].sort((one, other) => one - other);
}
