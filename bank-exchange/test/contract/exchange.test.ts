import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { exchangeContract } from '../helpers/contract.ts';

test('bank-exchange/openapi.yaml is a valid OpenAPI 3.1 document', async () => {
  const source = readFileSync(exchangeContract, 'utf8');
  const problems = await lintFromString({ source, config: await createConfig({ extends: ['spec'] }) });
  expect(source).toContain('openapi: 3.1.0');
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});
