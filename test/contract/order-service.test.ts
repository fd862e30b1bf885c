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

describe('checkCalls', () => {
  const read: RecordedCall = {
    sequence: 1,
    at: 0,
    method: 'GET',
    path: '/v1/orders/1',
    route: '/v1/orders/{orderId}',
    status: 200,
    responseContentType: 'application/json',
    responseBody: { status: 'A_STATUS_NOBODY_KNOWS', pollAfterSeconds: 1, somethingNew: {} },
  };
  const upload: RecordedCall = {
    sequence: 2,
    at: 0,
    method: 'POST',
    path: '/v1/orders/1/documents/sign',
    route: '/v1/orders/{orderId}/documents/sign',
    requestContentType: 'multipart/form-data; boundary=x',
    requestBody: {
      kind: 'multipart',
      fields: { fileId: '1' },
      files: [{ field: 'signature', name: 'a.sig', contentType: 'application/octet-stream', size: 1, sha256: '00' }],
    },
    status: 201,
    responseContentType: 'application/json',
    responseBody: { signatureId: '1' },
  };
  const { requestBody } = upload;
  const files = requestBody?.kind === 'multipart' ? requestBody.files : [];

  test('accepts calls that follow the contract, even with unknown values', () => {
    expect(checkCalls([read, upload])).toEqual([]);
  });

  test.each<[string, RecordedCall, string]>([
    ['an unknown route', { ...read, route: '/v1/offers' }, 'not in the contract'],
    ['an unknown method', { ...read, method: 'DELETE' }, 'not in the contract'],
    ['an unknown status', { ...read, status: 204 }, 'status 204 is not in the contract'],
    ['another content type', { ...read, responseContentType: 'text/html' }, 'the response has content type text/html'],
    [
      'a missing field',
      { ...read, responseBody: { status: 'CLOSED' } },
      "must have required property 'pollAfterSeconds'",
    ],
    [
      'a wrong type',
      { ...read, responseBody: { status: 1, pollAfterSeconds: 1 } },
      'the response/status must be string',
    ],
    [
      'a request body of another type',
      { ...upload, requestContentType: 'application/json' },
      'the request has content type',
    ],
    [
      'two files under one name',
      { ...upload, requestBody: { kind: 'multipart', fields: { fileId: '1' }, files: [...files, ...files] } },
      'the request/signature must be string',
    ],
    [
      'a missing request field',
      { ...upload, requestBody: { kind: 'multipart', fields: {}, files } },
      "must have required property 'fileId'",
    ],
  ])('names %s', (_name, call, problem) => {
    expect(checkCalls([call]).join('\n')).toContain(problem);
  });

  test('ignores the request of a refused call', () => {
    expect(checkCalls([{ ...upload, requestContentType: 'text/plain', status: 415 }])).toEqual([]);
  });
});
