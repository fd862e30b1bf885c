import { expect, test } from 'vitest';
import { type Stage, stageSettings } from '../../infra/stages.ts';
import { stagesWith } from '../helpers/stage-files.ts';
import { orderTemplate } from '../helpers/template.ts';

/** Lambda's quota. It measures the variables as JSON, with each quote and line break of a rule escaped. */
const MOST_BYTES = 4_096;
/** As long as any name or ARN that a deployment puts in place of a reference. */
const REFERENCE = 'x'.repeat(140);
const withoutReferences = (_name: string, value: unknown) =>
  /^(Ref|Fn::)/.test(String(Object.keys(Object(value)))) ? REFERENCE : value;

interface FunctionProperties {
  FunctionName: string;
  Environment: { Variables: Record<string, unknown> };
}

const address = `https://${'a'.repeat(192)}`;
const hundred = 'x'.repeat(100);
const statuses = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`OTHER_${at}`, 'WAITING_FOR_DOCUMENTS' as const]));
const [MOST_STATUSES, LONGEST_RULE] = [25, 2_998];

function longest({ orderService, offers, ...stage }: Stage, rule = LONGEST_RULE, others = MOST_STATUSES): Stage {
  const names = Object.fromEntries(Object.keys(orderService.names).map((name) => [name, hundred]));
  const addresses = {
    baseUrl: address,
    authorizationUrl: address,
    contentType: `application/${'x'.repeat(88)}`,
    idempotencyHeader: 'x'.repeat(64),
    clientCertificate: true,
  } as const;
  return {
    ...stage,
    orderService: {
      ...orderService,
      ...addresses,
      names: names as typeof orderService.names,
      otherStatuses: statuses(others),
    },
    offers: { ...offers, choose: 'rule', rule: 'x'.repeat(rule) },
  };
}

test('the longest settings fit into the environment of every function', () => {
  const template = orderTemplate('prod', (stage) => ({ ...longest(stage), name: 'x'.repeat(20) })).toJSON();
  const resources = Object.values(
    template.Resources as Record<string, { Type: string; Properties: FunctionProperties }>,
  );
  const sizes = resources
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(({ Properties: { FunctionName, Environment } }) => {
      const text = JSON.stringify(Environment.Variables, withoutReferences);
      return { FunctionName, size: text.length };
    });
  expect(sizes.filter(({ size }) => size > MOST_BYTES)).toEqual([]);
});

test.each([
  ['offers.rule', longest(stageSettings('prod'), LONGEST_RULE + 1)],
  ['orderService.otherStatuses', longest(stageSettings('prod'), LONGEST_RULE, MOST_STATUSES + 1)],
])('a longer %s is refused', (setting, { name: _name, ...prod }) => {
  expect(() => stageSettings('prod', stagesWith({ 'prod.json': prod }))).toThrow(
    new RegExp(`${setting} .*must have at most`),
  );
});

test('the longest settings are accepted', () => {
  const { name: _name, ...prod } = longest(stageSettings('prod'));
  expect(() => stageSettings('prod', stagesWith({ 'prod.json': prod }))).not.toThrow();
});
