import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { contractFile } from '../helpers/contract.ts';

const text = readFileSync(contractFile, 'utf8');
const contract = parse(text);

/** The errors that Redocly, the parser of openapi-typescript, finds in the OpenAPI document. */
async function problems(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['spec'] });
  const found = await lintFromString({ source, config });
  return found.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

describe('openapi/order-service.yaml', () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    expect(contract.openapi).toBe('3.1.0');
    expect(await problems(text)).toEqual([]);
    const broken = text.replace('operationId: createOrder', 'operationIdentifier: createOrder');
    expect(await problems(broken)).toEqual([expect.stringContaining('`operationIdentifier` is not expected here')]);
  });

  test('leaves every object open', () => {
    const objects = Object.entries<{ type?: string; additionalProperties?: boolean }>(
      contract.components.schemas,
    ).filter(([, schema]) => schema.type === 'object');
    expect(objects.length).toBeGreaterThan(10);
    expect(objects.filter(([, schema]) => schema.additionalProperties !== true)).toEqual([]);
  });
});
