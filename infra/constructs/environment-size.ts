import { Stack } from 'aws-cdk-lib';
import type { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';

/** Lambda's quota. It measures the variables as JSON, with each quote and line break of a rule escaped. */
const MOST_BYTES = 4_096;

/** The longest values of what CloudFormation fills in. */
const PSEUDO_PARAMETERS: Record<string, number> = {
  'AWS::AccountId': 12,
  'AWS::Partition': 'aws-us-gov'.length,
  'AWS::Region': 'ap-southeast-2'.length,
  'AWS::URLSuffix': 'amazonaws.com.cn'.length,
};

/** What CloudFormation adds to a stack's name and a logical id in the name of a resource: two dashes, and letters and digits. */
const GENERATED = 2 + 13;
/** What an ARN has before the name of the resource. */
const BEFORE_NAME = 'arn:aws-us-gov:secretsmanager:ap-southeast-2:111122223333:secret:'.length;

/** What to do about a variable that is too long. */
const REMEDIES: Record<string, string> = {
  OFFERS_RULE: 'shorten offers.rule in infra/stages.ts, or let each package bring its own rule',
  OTHER_STATUSES: 'shorten orderService.otherStatuses in infra/stages.ts',
};
const OTHER_REMEDY = 'shorten the setting in infra/stages.ts that it comes from';

/** Fails the synth if the function's environment could be too large for Lambda. Otherwise the deployment would fail. */
export function checkEnvironmentSize(target: LambdaFunction, functionName: string): void {
  target.node.addValidation({
    validate: () => {
      const stack = Stack.of(target);
      const { environment } = target.node.defaultChild as CfnFunction;
      const { variables = {} } = (stack.resolve(environment) ?? {}) as { variables?: Record<string, unknown> };
      const problem = problemOf(functionName, variables, stack.stackName);
      return problem === undefined ? [] : [problem];
    },
  });
}

function problemOf(functionName: string, variables: Record<string, unknown>, stackName: string): string | undefined {
  const bytes = environmentBytes(variables, stackName);
  if (bytes <= MOST_BYTES) return undefined;
  const sizes = Object.entries(variables).map(([name, value]) => ({ name, bytes: bytesOfJson(value, stackName) }));
  const [largest] = sizes.sort((one, other) => other.bytes - one.bytes);
  const name = largest?.name ?? '';
  return (
    `${functionName} has up to ${bytes} bytes in its environment, and Lambda allows ${MOST_BYTES}. ` +
    `The largest is ${name} with ${largest?.bytes} bytes: ${REMEDIES[name] ?? OTHER_REMEDY}.`
  );
}

/** The bytes of the variables as JSON. A value that only a deployment knows counts with the longest name that it can have. */
export function environmentBytes(variables: Record<string, unknown>, stackName: string): number {
  return bytesOfJson(variables, stackName);
}

function bytesOfJson(value: unknown, stackName: string): number {
  return Buffer.byteLength(JSON.stringify(filledIn(value, stackName)));
}

/** Replaces CloudFormation's functions by texts of the greatest length. */
function filledIn(value: unknown, stackName: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const [[name = '', argument] = []] = Object.entries(value);
  if (name === 'Ref') return 'x'.repeat(PSEUDO_PARAMETERS[String(argument)] ?? reference(String(argument), stackName));
  if (name === 'Fn::GetAtt') return 'x'.repeat(reference(String([argument].flat()[0]), stackName));
  if (name === 'Fn::Join') {
    const [separator, parts] = argument as [string, unknown[]];
    return parts.map((part) => filledIn(part, stackName)).join(separator);
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one, stackName)]));
}

function reference(logicalId: string, stackName: string): number {
  return BEFORE_NAME + stackName.length + logicalId.length + GENERATED;
}
