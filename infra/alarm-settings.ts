import { z } from 'zod';
import { OPEN_STATUSES } from '../core/order/order-item.ts';
import { whole } from './whole-number.ts';

const TOPIC_ARN = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/;
const hours = (usual: number) => whole(1, 8_760).default(usual);
/**
 * CloudWatch evaluates seven days at most. At least six are then left to act: SQS deletes a message 14 days after it was sent, and a new
 * dead letter may already be a day old.
 */
const MOST_DEAD_LETTER_HOURS = 168;
type OpenStatus = (typeof OPEN_STATUSES)[number];

/**
 * RECEIVED and WAITING_FOR_DOCUMENTS take minutes of our own work, and 12 hours leave room for an outage. In the other statuses, an order
 * waits for the bank or for people.
 */
const UNCHANGED_HOURS: Record<OpenStatus, number> = {
  RECEIVED: 12,
  IN_WORK: 72,
  WAITING_FOR_DOCUMENTS: 12,
  WAITING_FOR_SIGNATURE: 168,
  OFFERS_AVAILABLE: 168,
  OFFERS_APPROVED: 336,
};
const unchangedHours = Object.fromEntries(
  OPEN_STATUSES.map((status) => [
    status,
    hours(UNCHANGED_HOURS[status]).describe(`Hours that an order may be ${status} before the alarm.`),
  ]),
) as Record<OpenStatus, ReturnType<typeof hours>>;

/** The thresholds that a stage sets. The others stand where their alarms are declared (infra/order/alarms.ts). */
export const alarmSchema = z
  .strictObject({
    topicArn: z
      .string()
      .regex(TOPIC_ARN, { error: 'must be the ARN of an SNS topic' })
      .optional()
      .describe(
        'The ARN of your SNS topic that every alarm notifies. Its policy must allow that. Default: each stack creates an encrypted topic, in the output `AlarmTopicArn`.',
      ),
    email: z
      .email({ error: 'must be an e-mail address' })
      .optional()
      .describe('The e-mail address that the created topic notifies, after AWS has asked it to confirm.'),
    documentation: z
      .string()
      .regex(/^https:\/\/.*\/$/, { error: 'must begin with https:// and end with /' })
      .optional()
      .describe(
        "The address of this documentation, `https://…/`, for the links in the alarms' texts. Default: the folder `docs/`.",
      ),
    unchangedHours: z.strictObject(unchangedHours).prefault({}).describe('How long an order may be in a status.'),
    pausedHours: hours(24).describe(
      'How long the stage may be paused before the alarm, because a pause may be forgotten.',
    ),
    deadLetterHours: whole(1, MOST_DEAD_LETTER_HOURS)
      .default(24)
      .describe(
        'For how long there may be events in dead-letter queues before the second alarm. SQS deletes an event 14 days after it was sent.',
      ),
    concurrentExecutions: whole(10)
      .default(1_000)
      .describe(
        "The account's quota of concurrent executions of Lambda functions in the region. The alarm goes off at 80 % of it.",
      ),
  })
  .refine(({ topicArn, email }) => topicArn === undefined || email === undefined, {
    error: 'must have topicArn or email, not both: subscribe the address to your topic',
  })
  .prefault({})
  .describe('Whom alarms notify, and when.');
