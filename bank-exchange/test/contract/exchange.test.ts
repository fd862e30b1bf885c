import { readFileSync } from 'node:fs';
import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkCalls } from '../../../test/helpers/contract.ts';
import { exchangeContract } from '../helpers/contract.ts';

const text = readFileSync(exchangeContract, 'utf8');
const contract = parse(text);

describe('bank-exchange/openapi.yaml', () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    const problems = await lintFromString({ source: text, config: await createConfig({ extends: ['spec'] }) });
    expect(contract.openapi).toBe('3.1.0');
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test('has the five operations', () => {
    const operations = Object.entries<Record<string, unknown>>(contract.paths).flatMap(([path, item]) =>
      ['get', 'post'].filter((method) => method in item).map((method) => `${method} ${path}`),
    );
    expect(operations).toEqual([
      'post /token',
      'get /requests',
      'post /request/{requestId}/status',
      'get /inns',
      'post /inns',
    ]);
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

describe('checkCalls', () => {
  const fetched: RecordedCall = {
    sequence: 1,
    at: 0,
    method: 'GET',
    path: '/requests',
    route: '/requests',
    status: 200,
    responseContentType: 'application/json',
    responseBody: [{ fileName: 'a.zip', somethingNew: {} }, {}],
  };
  const sent: RecordedCall = {
    sequence: 2,
    at: 0,
    method: 'POST',
    path: '/request/1/status',
    route: '/request/{requestId}/status',
    requestContentType: 'application/json',
    requestBody: { kind: 'json', value: { newStatus: 'a status nobody knows' }, text: '' },
    status: 204,
  };

  test('accepts calls that follow the contract, even with unknown values', () => {
    expect(checkCalls([fetched, sent])).toEqual([]);
  });

  test.each<[string, RecordedCall, string]>([
    ['a list that is an object', { ...fetched, responseBody: { requests: [] } }, 'the response must be array'],
    [
      'a file name that is a number',
      { ...fetched, responseBody: [{ fileName: 1 }] },
      'the response/0/fileName must be',
    ],
    ['a missing status', { ...sent, requestBody: { kind: 'json', value: {}, text: '' } }, "property 'newStatus'"],
    [
      'an amount in quotes',
      { ...sent, requestBody: { kind: 'json', value: { newStatus: 'issued', loanAmount: '1' }, text: '' } },
      'the request/loanAmount must be number',
    ],
  ])('names %s', (_name, call, problem) => {
    expect(checkCalls([call]).join('\n')).toContain(problem);
  });
});
