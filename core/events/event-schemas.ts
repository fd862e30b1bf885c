import * as z from 'zod/mini';

/**
 * The public events of orders. New members may be added within a version. Anything else that a consumer would notice is a new version. The
 * events hold references only: nothing of a questionnaire, a document, an offer or a person.
 */
export const EVENT_VERSION = 1;

const text = (meaning: string) => z.string().check(z.minLength(1), z.describe(meaning));
const time = (meaning: string) => z.iso.datetime().check(z.describe(meaning));
const number = (meaning: string) => z.int().check(z.minimum(1), z.describe(meaning));

const common = {
  version: z.literal(EVENT_VERSION).check(z.describe('The version of this schema.')),
  id: text('Identifies the event. An event may come more than once, always with the same id.'),
  stage: text('The stage of the order: its bus is loan-orders-<stage>.'),
  at: time('When the change was recorded.'),
};

const ofOrder = {
  ...common,
  orderRef: text("The partner's reference of the order."),
  sequence: number('Counts the events of the order: 1, 2, … without a gap.'),
  orderId: z.optional(text("The service's identifier of the order. Absent before its creation is recorded.")),
};

const error = text('The class of the error, which docs/operations.md explains.');

/** The detail of each event, by its detail-type. */
export const eventSchemas = {
  'Order Status Changed': z
    .object({
      ...ofOrder,
      status: text(
        'The status. RECEIVED is ours: the package was accepted. All others are those of the order service.',
      ),
      previousStatus: z.optional(text('The status before. Absent for RECEIVED.')),
    })
    .check(z.describe('The order has another status.')),
  'Signatures Requested': z
    .object({
      ...ofOrder,
      round: number('How many times signatures were requested for the order.'),
      documents: z.int().check(z.minimum(0), z.describe('How many documents are to be signed.')),
      page: text('The key in the staging bucket of the page that lists the documents.'),
    })
    .check(z.describe('People are to sign documents.')),
  'Decision Requested': z
    .object({
      ...ofOrder,
      page: text('The key in the staging bucket of the page with the offers.'),
    })
    .check(z.describe('People are to decide on the offers.')),
  'Deadline Near': z
    .object({
      ...ofOrder,
      what: z.enum(['signatures', 'decision']).check(z.describe('What people were asked for.')),
      due: time('When it must have come: the deadline of the stage, or when an offer expires.'),
    })
    .check(z.describe('People are reminded, once: a quarter of the time is left.')),
  'Upload Rejected': z
    .object({
      ...common,
      kind: z
        .enum(['package', 'upload'])
        .check(z.describe('A package with problems, or a file that belongs to no order.')),
      orderRef: z.optional(text("The folder of the package. Absent if no order can have this folder's name.")),
      versionId: text('The version of the rejected object in the intake bucket.'),
    })
    .check(z.describe('A package or a file in intake was rejected. Its answer in staging says why.')),
  'Order Failed': z
    .object({
      ...ofOrder,
      error,
      generation: number('The execution that failed: 1, 2, …'),
      waitingFor: z
        .enum(['operator', 'service'])
        .check(
          z.describe('operator: a person must act. service: an outage stopped the order, which goes on by itself.'),
        ),
      resumesAt: z.optional(time('When the order goes on by itself. Absent if it waits for an operator.')),
    })
    .check(z.describe('An execution of the order ended without success.')),
  'Order Resumed': z
    .object({
      ...ofOrder,
      generation: number('The execution that goes on: 2, 3, …'),
      automatic: z
        .boolean()
        .check(z.describe('Whether the order went on by itself. Otherwise an operator retried it.')),
      error,
    })
    .check(z.describe('An order that had failed goes on. The error is the one that it had failed with.')),
  'Order Ended': z
    .object({
      ...ofOrder,
      end: z
        .enum(['CLOSED', 'VALIDATION_FAILED', 'DISMISSED'])
        .check(z.describe('The final status, or DISMISSED: an operator ended the order on our side.')),
    })
    .check(z.describe('The order is over. An order that was dismissed may be resumed by an operator.')),
} as const;

export type EventType = keyof typeof eventSchemas;
