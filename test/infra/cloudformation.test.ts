import { App } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import type { Stage } from '../../infra/stages.ts';
import { schemaViolations } from '../helpers/schema-violations.ts';
import { orderTemplate } from '../helpers/template.ts';

const special = (stage: Stage): Stage => ({
  ...stage,
  account: '111122223333',
  region: 'eu-central-1',
  encryption: 'stack-key',
  network: { vpc: 'vpc-0a1b2c3d', subnets: ['subnet-0a1b2c3d'] },
});

test('no stack of any stage has a problem with the schemas, prod with a key, a network, and an account and region', () => {
  const templates = {
    test: orderTemplate('test'),
    local: orderTemplate('local'),
    prod: orderTemplate('prod', special),
  };
  expect(schemaViolations(new App(), templates)).toEqual([]);
}, 180_000);
