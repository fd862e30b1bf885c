import { readFileSync } from 'node:fs';
import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkCalls, contractFile } from '../helpers/contract.ts';

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

test.each<[string, Partial<RecordedCall>, string]>([
  ['an unknown route', { route: '/v1/offers' }, 'not in the contract'],
  ['an unknown status', { status: 204 }, 'status 204 is not in the contract'],
  ['another content type', { responseContentType: 'text/html' }, 'the response has content type text/html'],
  ['a missing field', { responseBody: { status: 'CLOSED' } }, "must have required property 'pollAfterSeconds'"],
  [
    'a request body of another type',
    { requestHeaders: { 'content-type': 'text/plain' } },
    'the request has content type',
  ],
  ['a missing request field', { requestBody: { kind: 'multipart', fields: {}, files: [] } }, "property 'fileId'"],
])(
  'the check of calls against the contract finds %s, and nothing in calls that follow it',
  (_what, change, problem) => {
    const read: RecordedCall = {
      sequence: 1,
      at: 0,
      method: 'GET',
      path: '/v1/orders/1',
      route: '/v1/orders/{orderId}',
      requestHeaders: {},
      status: 200,
      responseContentType: 'application/json',
      responseBody: { status: 'A_STATUS_NOBODY_KNOWS', pollAfterSeconds: 1, somethingNew: {} },
    };
    const signature = { field: 'signature', name: 'a', contentType: 'a/b', size: 1, sha256: '00' };
    const upload: RecordedCall = {
      ...read,
      method: 'POST',
      route: '/v1/orders/{orderId}/documents/sign',
      requestHeaders: { 'content-type': 'multipart/form-data; boundary=x' },
      requestBody: { kind: 'multipart', fields: { fileId: '1' }, files: [signature] },
      status: 201,
      responseBody: { signatureId: '1' },
    };
    // The request of a refused call need not follow it.
    expect(checkCalls([read, upload, { ...upload, requestHeaders: {}, status: 415 }])).toEqual([]);
    const call = Object.keys(change).some((name) => name.startsWith('request')) ? upload : read;
    expect(checkCalls([{ ...call, ...change }]).join('\n')).toContain(problem);
  },
);
