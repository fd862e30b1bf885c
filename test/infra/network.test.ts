import { readFileSync } from 'node:fs';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { type Definition, definitions } from '../../infra/order/function-definitions.ts';
import type { Stage } from '../../infra/stages.ts';
import { networkRules, ofPartner } from '../helpers/stack-rules.ts';
import { orderTemplate } from '../helpers/template.ts';

const { vpc, subnets } = ofPartner;
const withNetwork = (network: Stage['network']) => (stage: Stage) => ({ ...stage, network });
const ordersIn = (network: Stage['network'], change = (stage: Stage) => stage) =>
  orderTemplate('prod', (stage) => change(withNetwork(network)(stage)));

test('without a network no function is in a VPC', () => {
  ordersIn(undefined).allResourcesProperties('AWS::Lambda::Function', { VpcConfig: Match.absent() });
});

describe('the functions in the network of the partner', () => {
  networkRules(ordersIn(ofPartner));
});

describe('the security group that the stack creates if the stage names none', () => {
  const created = (template: Template) => {
    const groups = Object.entries(template.findResources('AWS::EC2::SecurityGroup'));
    expect(groups).toHaveLength(1);
    const [[id = '', { Properties } = {}] = []] = groups;
    return { id, properties: Properties as { SecurityGroupEgress: { FromPort: number; ToPort: number }[] } };
  };

  test('accepts no connections and opens only those to TLS', () => {
    const template = ordersIn({ vpc, subnets });
    const { id, properties } = created(template);
    expect(properties).toMatchObject({ VpcId: vpc });
    expect(properties).not.toHaveProperty('SecurityGroupIngress');
    expect(properties.SecurityGroupEgress).toMatchObject([{ IpProtocol: 'tcp', FromPort: 443, ToPort: 443 }]);
    template.allResourcesProperties('AWS::Lambda::Function', {
      VpcConfig: { SubnetIds: subnets, SecurityGroupIds: [{ 'Fn::GetAtt': [id, 'GroupId'] }] },
    });
  });

  test('opens the ports of the addresses of the order service too', () => {
    const template = ordersIn({ vpc, subnets }, (stage) => ({
      ...stage,
      orderService: { ...stage.orderService, baseUrl: 'https://orders.bank.example:8443' },
    }));
    expect(created(template).properties.SecurityGroupEgress.map(({ FromPort }) => FromPort)).toEqual([443, 8443]);
  });
});

describe('the services that a VPC without a NAT gateway needs an endpoint for', () => {
  const page = readFileSync(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
  const all = Object.entries<Definition>(definitions);

  test.each<[string, (definition: Definition) => unknown]>([
    ['secretsmanager', ({ callsService }) => callsService],
    ['states', ({ states }) => states],
    ['kms', ({ signs }) => signs],
    ['events', ({ tells }) => tells],
  ])('%s: docs/deployment.md names the functions of the order stack that use it', (endpoint, uses) => {
    const [, named = ''] = new RegExp(`interface \`${endpoint}\` \\| (.*) \\|`).exec(page) ?? [];
    const using = all.filter(([, definition]) => uses(definition)).map(([name]) => name);
    expect([...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort()).toEqual(using.sort());
  });
});
