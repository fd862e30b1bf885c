import { z } from 'zod';
import { OPEN_STATUSES } from '../core/order/order-item.ts';

const TOPIC_ARN = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/;
const hours = z.int().min(1).max(8_760);
/** CloudWatch looks back seven days at most. SQS deletes a message 14 days after it was sent, and it may be a day old as a dead letter. */
const MOST_DEAD_LETTER_HOURS = 168;
type OpenStatus = (typeof OPEN_STATUSES)[number];

/** Whom alarms call, and when. */
export const alarmSchema = z
  .strictObject({
    /** An SNS topic of the partner that every alarm notifies. */
    topicArn: z.string().regex(TOPIC_ARN, { error: 'must be the ARN of an SNS topic' }).optional(),
    /** Whether each stack creates a topic that its alarms notify. */
    createTopic: z.boolean(),
    /** The address of the folder docs, for the links in the alarms' texts. Default: the folder in the project. */
    documentation: z
      .string()
      .regex(/^https:\/\/.*\/$/, { error: 'must begin with https:// and end with /' })
      .optional(),
    /** How long an order may stay in a status before the alarm, for each status. */
    unchangedHours: z.strictObject(
      Object.fromEntries(OPEN_STATUSES.map((status) => [status, hours])) as Record<OpenStatus, typeof hours>,
    ),
    /** How long the stage may be paused before the alarm, because a pause may be forgotten. */
    pausedHours: hours,
    /** For how long there may be events in dead-letter queues before the second alarm. */
    deadLetterHours: z
      .int()
      .min(1)
      .max(MOST_DEAD_LETTER_HOURS, { error: `must be from 1 to ${MOST_DEAD_LETTER_HOURS}` }),
    /** The account's quota of concurrent executions of Lambda functions in the region. */
    concurrentExecutions: z.int().min(10),
  })
  .refine(({ topicArn, createTopic }) => topicArn === undefined || !createTopic, {
    error: 'must have topicArn or createTopic, not both',
  });

/**
 * The statuses in which we work take minutes, and a few hours of outage heal by themselves. The others wait for the bank or for
 * people.
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
