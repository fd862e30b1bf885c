import { z } from 'zod';
import { OPEN_STATUSES } from '../core/order/order-item.ts';
import { whole } from './whole-number.ts';

const TOPIC_ARN = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/;
const hours = whole(1, 8_760);
/**
 * CloudWatch evaluates seven days at most. At least six are then left to act: SQS deletes a message 14 days after it was sent, and a new
 * dead letter may already be a day old.
 */
const MOST_DEAD_LETTER_HOURS = 168;
type OpenStatus = (typeof OPEN_STATUSES)[number];

/** The thresholds that a stage sets. The others stand where their alarms are declared (infra/order/alarms.ts). */
export const alarmSchema = z
  .strictObject({
    topicArn: z
      .string()
      .regex(TOPIC_ARN, { error: 'must be the ARN of an SNS topic' })
      .optional()
      .describe('The ARN of your SNS topic that every alarm notifies. Its policy must allow that.'),
    createTopic: z
      .boolean()
      .describe(
        'Whether each stack creates an encrypted topic for its alarms, in the output `AlarmTopicArn`. Not with `topicArn`.',
      ),
    documentation: z
      .string()
      .regex(/^https:\/\/.*\/$/, { error: 'must begin with https:// and end with /' })
      .optional()
      .describe(
        "The address of this documentation, `https://…/`, for the links in the alarms' texts. Default: the folder `docs/`.",
      ),
    unchangedHours: z
      .strictObject(
        Object.fromEntries(
          OPEN_STATUSES.map((status) => [
            status,
            hours.describe(`Hours that an order may be ${status} before the alarm.`),
          ]),
        ) as Record<OpenStatus, typeof hours>,
      )
      .describe('How long an order may be in a status.'),
    pausedHours: hours.describe('How long the stage may be paused before the alarm, because a pause may be forgotten.'),
    deadLetterHours: whole(1)
      .max(MOST_DEAD_LETTER_HOURS, { error: `must be from 1 to ${MOST_DEAD_LETTER_HOURS}` })
      .describe(
        'For how long there may be events in dead-letter queues before the second alarm. SQS deletes an event 14 days after it was sent.',
      ),
    concurrentExecutions: whole(10).describe(
      "The account's quota of concurrent executions of Lambda functions in the region. The alarm goes off at 80 % of it.",
    ),
  })
  .refine(({ topicArn, createTopic }) => topicArn === undefined || !createTopic, {
    error: 'must have topicArn or createTopic, not both',
  })
  .describe('Whom alarms notify, and when.');

/**
 * RECEIVED and WAITING_FOR_DOCUMENTS take minutes of our own work, and 12 hours leave room for an outage. In the other statuses, an order
 * waits for the bank or for people.
 */
export const commonAlarms = {
  createTopic: false,
  unchangedHours: {
    RECEIVED: 12,
    IN_WORK: 72,
    WAITING_FOR_DOCUMENTS: 12,
    WAITING_FOR_SIGNATURE: 168,
    OFFERS_AVAILABLE: 168,
    OFFERS_APPROVED: 336,
  },
  pausedHours: 24,
  deadLetterHours: 24,
  concurrentExecutions: 1_000,
} as const satisfies z.infer<typeof alarmSchema>;
