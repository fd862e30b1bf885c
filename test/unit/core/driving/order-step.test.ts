import { inspect } from 'node:util';
import type { Context } from 'aws-lambda';
import { expect, test } from 'vitest';
import { orderStep } from '../../../../core/driving/order-step.ts';
import { loggable, OutcomeUnknown, Rejected, rebuilt, ServiceUnavailable } from '../../../../core/errors.ts';

const run = (error: Error) =>
  orderStep(async (_event: { orderRef: string }) => {
    throw error;
  })({ orderRef: 'ref' }, { awsRequestId: '1' } as Context);

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

test('an error has the facts of its call whole, and no form that can be logged contains what may be personal', () => {
  const inn = 'INN 7707083893';
  const references = { operation: 'confirm', attempt: 2, httpStatus: 409, requestReference: 'r-1' };
  const call = { ...references, subject: 'Order ref', intent: { offerId: inn }, excerpt: inn, pollAfterSeconds: inn };
  const error = rebuilt(OutcomeUnknown, 'doubted', new Rejected('refused', { call }));
  expect(error.call).toEqual(call);
  expect(loggable(error.call)).toEqual(references);
  const logged = JSON.stringify(loggable(error.call));
  for (const form of [logged, JSON.stringify(error), JSON.stringify({ ...error }), inspect(error), String(error.stack)])
    expect(form).not.toContain('7707083893');
});
