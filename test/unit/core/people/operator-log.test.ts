import { inspect } from 'node:util';
import type { Context } from 'aws-lambda';
import { expect, test } from 'vitest';
import { OutcomeUnknown, Rejected, ServiceUnavailable } from '../../../../core/errors.ts';
import { lambdaHandler } from '../../../../core/lambda-handler.ts';
import { operatorLog } from '../../../../core/people/operator-log.ts';

const run = (error: Error) =>
  lambdaHandler(async (_event: { orderRef: string }) => {
    throw error;
  }).use(operatorLog())({ orderRef: 'ref' }, { awsRequestId: '1' } as Context);

const awsError = (name: string, facts: object) => Object.assign(new Error('from AWS'), { name, ...facts });

test.each([
  awsError('SlowDown', { $fault: 'server', $metadata: { httpStatusCode: 503 } }),
  awsError('InternalServerError', { $fault: 'server', $metadata: { httpStatusCode: 500 } }),
  awsError('ThrottlingException', {
    $fault: 'client',
    $metadata: { httpStatusCode: 400 },
    $retryable: { throttling: true },
  }),
  awsError('TimeoutError', {}),
  awsError('ProvisionedThroughputExceededException', { $fault: 'client', $metadata: { httpStatusCode: 400 } }),
  awsError('Error', { code: 'ECONNRESET' }),
])('the temporary AWS error $name may be retried by the state machine', async (error) => {
  await expect(run(error)).rejects.toThrow(ServiceUnavailable);
  await expect(run(error)).rejects.toThrow(error.name);
});

test.each([
  awsError('AccessDeniedException', { $fault: 'client', $metadata: { httpStatusCode: 403 } }),
  new TypeError('a mistake in the code'),
  new OutcomeUnknown('It may or may not have been done.', { cause: awsError('Error', { code: 'ECONNRESET' }) }),
])('the error $name is passed on unchanged', async (error) => {
  await expect(run(error)).rejects.toBe(error);
});

test('no form of an error that can be logged contains text from the service', () => {
  const error = new Rejected('refused');
  error.excerpt = 'INN 7707083893';
  expect(error.excerpt).toBe('INN 7707083893');
  for (const form of [JSON.stringify(error), JSON.stringify({ ...error }), inspect(error), String(error.stack)]) {
    expect(form).not.toContain('7707083893');
  }
});
