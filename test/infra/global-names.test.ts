import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { orderTemplate } from '../helpers/template.ts';
import { creating } from '../helpers/variants.ts';

/** The ARNs of these have a region, and an inline policy belongs to its role. All other names are those of the whole account, or of the world. */
const IN_A_REGION =
  /^AWS::(DynamoDB|EC2|Events|KMS|Lambda|Logs|SNS|SQS|Scheduler|SecretsManager|StepFunctions)::|^AWS::CloudWatch::Alarm$|^AWS::IAM::Policy$/;

type Resources = Record<string, { Type: string; Properties?: Record<string, unknown> }>;

/** The names that a template gives to resources which no region keeps apart, by their logical IDs. */
function globalNames(resources: Resources): [string, unknown][] {
  return Object.entries(resources)
    .filter(([, { Type }]) => !IN_A_REGION.test(Type))
    .flatMap(([id, { Type, Properties = {} }]) => {
      const kind = Type.split('::').at(-1);
      const own = [`${kind}Name`, 'Name', 'ConfigurationName'].find((property) => property in Properties);
      return own ? [[id, Properties[own]] as [string, unknown]] : [];
    });
}

const hasRegion = ([, name]: [string, unknown]) => JSON.stringify(name).includes('AWS::Region');

test('the same stage in a second region of an account has no name in common with the first that the account has once', () => {
  const names = globalNames(orderTemplate('prod', creating).toJSON().Resources);
  // Seven policies for people, and the dashboard.
  expect(names).toHaveLength(8);
  expect(names.filter((name) => !hasRegion(name))).toEqual([]);
});

test.each(readdirSync(new URL('../../docs/events', import.meta.url)))('the recipe %s has none either', (file) => {
  const { Resources } = parse(readFileSync(new URL(`../../docs/events/${file}`, import.meta.url), 'utf8'));
  expect(globalNames(Resources).filter((name) => !hasRegion(name))).toEqual([]);
});
