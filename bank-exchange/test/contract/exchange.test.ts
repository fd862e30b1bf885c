import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { exchangeContract } from '../helpers/contract.ts';

const text = readFileSync(exchangeContract, 'utf8');
const contract = parse(text);

describe('bank-exchange/openapi.yaml', () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    const problems = await lintFromString({ source: text, config: await createConfig({ extends: ['spec'] }) });
    expect(contract.openapi).toBe('3.1.0');
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test('leaves every object open, and requires only fields that are known by name', () => {
    const schemas = Object.entries<{ type?: string; additionalProperties?: boolean; required?: string[] }>(
      contract.components.schemas,
    );
    const objects = schemas.filter(([, { type }]) => type === 'object');
    expect(objects.filter(([, { additionalProperties }]) => additionalProperties !== true)).toEqual([]);
    expect(Object.fromEntries(objects.flatMap(([name, { required }]) => (required ? [[name, required]] : [])))).toEqual(
      {
        StatusChange: ['newStatus'],
        TokenRequest: ['grant_type', 'client_id', 'client_secret'],
        TokenResponse: ['access_token'],
      },
    );
  });
});
