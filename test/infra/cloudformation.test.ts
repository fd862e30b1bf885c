import { App } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { schemaViolations } from '../helpers/schema-violations.ts';
import { orderTemplate } from '../helpers/template.ts';
import { creating, given } from '../helpers/variants.ts';

test('no stack of any stage has a problem with the schemas, whatever it creates or is given', async () => {
  // One test, because the schemas take seconds to load.
  const templates = {
    test: orderTemplate('test'),
    creating: orderTemplate('prod', creating),
    given: orderTemplate('prod', given),
    ...(await import('../../bank-exchange/test/helpers/variants.ts')).checkedTemplates(), // bank-exchange
  };
  expect(schemaViolations(new App(), templates)).toEqual([]);
}, 180_000);
