import { z } from 'zod';

/** Headers that calls send anyway, or that name their content or connection. */
const TAKEN = [
  'accept',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
];

const WRONG_HEADER = {
  error: `must be null, or the name of a header: letters, digits and hyphens, at most 60, and none of ${TAKEN.join(', ')}`,
};

export const tracingSchema = z
  .strictObject({
    xray: z
      .boolean()
      .default(false)
      .describe('Whether X-Ray traces the functions and the state machine. AWS charges for each trace.'),
    requestIdHeader: z
      .string(WRONG_HEADER)
      .regex(/^[A-Za-z0-9-]{1,60}$/, WRONG_HEADER)
      .refine((name) => !TAKEN.includes(name.toLowerCase()), WRONG_HEADER)
      .nullable()
      .default('X-Request-Id')
      .describe(
        'The header in which each call of the order service has an ID of its own, by which its support finds the call. `null` if the service refuses it.',
      ),
    traceparent: z
      .boolean()
      .default(true)
      .describe('Whether each call carries `traceparent` (W3C Trace Context), so that the service can join the trace.'),
  })
  .prefault({})
  .describe('How calls and executions can be traced.');
