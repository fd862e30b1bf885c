import * as z from 'zod';
import { wholeNumber } from './setting-kinds.ts';

const TOPIC_ARN = /^arn:aws:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/;

/** Whether alarms notify a topic that exists. */
export const isTopic = (notify: string | undefined): notify is string => notify?.startsWith('arn:') ?? false;

export const operationSettings = {
  sweep: z
    .strictObject({
      everyMinutes: wholeNumber(1, 60).default(5).describe('How often the sweep runs.'),
      mostStarts: wholeNumber(1, 1_000)
        .default(50)
        .describe(
          'How many orders one sweep starts at most, so that a service that has just recovered is not flooded, and how many it moves to a new release.',
        ),
    })
    .prefault({})
    .describe('The sweep finds orders that no execution drives, and starts those again that an outage stopped.'),
  holdReleases: z
    .boolean()
    .default(false)
    .describe(
      'Whether orders in flight stay in their release until `loan-orders migrate` moves them. Otherwise the sweep moves them.',
    ),
  logRetentionDays: z
    .literal([7, 30, 90, 180, 365])
    .default(365)
    .describe('How long the logs of functions and state machines are kept.'),
  alarms: z
    .strictObject({
      notify: z
        .string()
        .refine((text) => TOPIC_ARN.test(text) || z.email().safeParse(text).success, {
          error: 'must be an e-mail address or the ARN of an SNS topic',
        })
        .optional()
        .describe(
          'Whom every alarm notifies: the ARN of your SNS topic, whose policy must allow that, or an e-mail address, which AWS asks to confirm. Each stack without a topic creates an encrypted one, in the output `AlarmTopicArn`.',
        ),
      concurrentExecutions: wholeNumber(10)
        .default(1_000)
        .describe(
          "The account's quota of concurrent executions of Lambda functions in the region. The alarm goes off at 80 % of it.",
        ),
    })
    .prefault({})
    .describe('Whom alarms notify, and when.'),
  tracing: z
    .strictObject({
      xray: z
        .boolean()
        .default(false)
        .describe('Whether X-Ray traces the functions and the state machine. AWS charges for each trace.'),
    })
    .prefault({})
    .describe('How executions can be traced.'),
  events: z
    .strictObject({
      archiveDays: wholeNumber(1, 36_500)
        .optional()
        .describe('How many days an archive keeps the events, so that they can be replayed. Default: no archive.'),
    })
    .prefault({})
    .describe('The event bus on which other systems follow the orders.'),
};
