import { ArnFormat, Stack } from 'aws-cdk-lib';
import { CfnSecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { acknowledge } from '../nag.ts';
import type { Stage } from '../stages.ts';

const GROUP = 'FunctionsSecurityGroup';
const HTTPS = 443;

/** What Lambda does to connect a function to a VPC. EC2 cannot limit these actions to resources that do not exist yet. */
const CONNECT = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** Lets Lambda connect the function to the stage's VPC, if it has one. Lambda acts with the function's role. */
export function allowNetwork(scope: Construct, role: Role, functionName: string, { network }: Stage): void {
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

/** Places the function in the stage's VPC, if it has one. */
export function placeInNetwork(target: CfnFunction, stage: Stage): void {
  const { network } = stage;
  if (!network) return;
  const securityGroupIds = network.securityGroups ?? [createdGroup(Stack.of(target), stage).attrGroupId];
  target.vpcConfig = { subnetIds: network.subnets, securityGroupIds };
}

/** The one security group of all functions of a stack. */
function createdGroup(stack: Stack, stage: Stage): CfnSecurityGroup {
  const existing = stack.node.tryFindChild(GROUP) as CfnSecurityGroup | undefined;
  if (existing) return existing;
  return new CfnSecurityGroup(stack, GROUP, {
    groupDescription: `Functions of ${stack.stackName}: no incoming connections, outgoing ones by TLS`,
    ...(stage.network && { vpcId: stage.network.vpc }),
    securityGroupEgress: portsOf(stage).map((port) => ({
      ipProtocol: 'tcp',
      fromPort: port,
      toPort: port,
      cidrIp: '0.0.0.0/0',
      description: port === HTTPS ? 'AWS and the order service' : 'The order service',
    })),
  });
}

/** The port of AWS, and those of the stage's service addresses. */
function portsOf({ orderService: { baseUrl, authorizationUrl } }: Stage): number[] {
  const ports = [baseUrl, authorizationUrl].map((address) => Number(URL.parse(address)?.port || HTTPS));
  return [...new Set([HTTPS, ...ports])].sort((one, other) => one - other);
}
