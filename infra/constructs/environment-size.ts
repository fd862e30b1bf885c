import { Stack } from 'aws-cdk-lib';
import type { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { offerSettings, serviceSettings, variableOf } from '../../core/settings.ts';

/** Lambda's quota. It measures the variables as JSON, with each quote and line break of a rule escaped. */
const MOST_BYTES = 4_096;
/** The longest account, partition, region or suffix. */
const PSEUDO_PARAMETER = 'amazonaws.com.cn'.length;
/** What CloudFormation adds to a stack's name and a logical id in the name of a resource: two dashes, and letters and digits. */
const GENERATED = 2 + 13;
/** What an ARN has before the name of the resource. */
const BEFORE_NAME = 'arn:aws-us-gov:secretsmanager:ap-southeast-2:111122223333:secret:'.length;

/** What to do about a variable that is too long. */
const REMEDIES: Record<string, string> = {
  [variableOf(offerSettings, 'rule')]: 'shorten offers.rule in infra/stages.ts, or let each package bring its own rule',
  [variableOf(serviceSettings, 'otherStatuses')]: 'shorten orderService.otherStatuses in infra/stages.ts',
};
const OTHER_REMEDY = 'shorten the setting in infra/stages.ts that it comes from';

/** Fails the synth if the function's environment could be too large for Lambda. Otherwise the deployment would fail. */
export function checkEnvironmentSize(target: LambdaFunction, functionName: string): void {
  target.node.addValidation({
    validate: () => {
      const stack = Stack.of(target);
      const { environment } = target.node.defaultChild as CfnFunction;
      const { variables = {} } = (stack.resolve(environment) ?? {}) as { variables?: Record<string, unknown> };
      const bytes = environmentBytes(variables, stack.stackName);
      if (bytes <= MOST_BYTES) return [];
      const sizes = Object.entries(variables).map(([name, value]) => ({
        name,
        size: environmentBytes(value, stack.stackName),
      }));
      const { name, size } = sizes.reduce((most, one) => (one.size > most.size ? one : most), { name: '', size: 0 });
      return [
        `${functionName} has up to ${bytes} bytes in its environment, and Lambda allows ${MOST_BYTES}. ` +
          `The largest is ${name} with ${size} bytes: ${REMEDIES[name] ?? OTHER_REMEDY}.`,
      ];
    },
  });
}

/** The bytes of a value as JSON. A value that only a deployment knows counts with its greatest possible length. */
export function environmentBytes(value: unknown, stackName: string): number {
  return Buffer.byteLength(JSON.stringify(filledIn(value, stackName)));
}

/** Replaces CloudFormation's functions by texts of the greatest length. */
function filledIn(value: unknown, stackName: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Record<string, string>;
  if (join) return (join[1] as unknown as unknown[]).map((part) => filledIn(part, stackName)).join(join[0]);
  const resource = Ref ?? (attribute && String([attribute].flat()[0]));
  if (resource === undefined) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one, stackName)]));
  }
  const isPseudo = String(resource).startsWith('AWS::');
  return 'x'.repeat(isPseudo ? PSEUDO_PARAMETER : BEFORE_NAME + stackName.length + resource.length + GENERATED);
}
