import { expect, test } from 'vitest';
import { orderTemplate } from '../helpers/template.ts';
import { adopting, given } from '../helpers/variants.ts';

/** IAM's quota for a managed policy. It does not count whitespace. */
const MOST_CHARACTERS = 6_144;
type Resource = { Type: string; Properties: Record<string, unknown> };

const template = orderTemplate('prod', (stage) => {
  const longest = adopting(given({ ...stage, name: 'x'.repeat(20), namePrefix: 'p'.repeat(8) }));
  const { orderService, alarms } = longest;
  return {
    ...longest,
    region: 'ap-northeast-1',
    existing: { table: 't'.repeat(255) },
    buckets: { intake: 'i'.repeat(63), staging: 's'.repeat(63) },
    alarms: { ...alarms, notify: `arn:aws:sns:ap-northeast-1:111122223333:${'n'.repeat(256)}` },
    orderService: {
      ...orderService,
      clientCertificate: `arn:aws:secretsmanager:ap-northeast-1:111122223333:secret:${'c'.repeat(200)}-a1B2c3`,
    },
  };
}).toJSON();
const resources = template.Resources as Record<string, Resource>;

/** A reference as AWS puts it in place: the name that the template gives, or one as long as CloudFormation makes. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const [[key = '', argument] = []] = Object.entries(value);
  if (key === 'Fn::Join')
    return (resolved((argument as [string, unknown[]])[1]) as string[]).join((argument as [string])[0]);
  if (key === 'Fn::GetAtt') return arnOf((argument as string[])[0] ?? '');
  if (key === 'Ref') return arnOf(String(argument));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one)]));
}

function arnOf(id: string): string {
  const name = Object.entries(resources[id]?.Properties ?? {}).find(([property]) => /Name$/.test(property))?.[1];
  return `arn:aws:secretsmanager:ap-northeast-1:111122223333:function:${name ?? 'x'.repeat(64)}-a1B2c3`;
}

test("a person's policy is within the characters of IAM, with the longest names", () => {
  const sizes = Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::IAM::ManagedPolicy')
    .map(
      ({ Properties }) =>
        [
          JSON.stringify(Properties.ManagedPolicyName),
          JSON.stringify(resolved(Properties.PolicyDocument)).length,
        ] as const,
    );
  expect(sizes.filter(([, size]) => size > MOST_CHARACTERS)).toEqual([]);
});
