import { orderDefinition } from '../../statemachine/order-definition.ts';

/** A way through a definition of statemachine/. */
export interface Way {
  definition: 'order';
  input: object;
  /** What the functions answer, one after another. */
  answers: unknown[];
  /** What the Tasks that wait for a token are told. */
  tokens: object[];
  states: string[];
  /** The status of the execution, or its error. */
  ends: string;
}

const definitions = { order: () => JSON.stringify(orderDefinition(), null, 2) };

/** The text of a definition, with made-up ARNs. */
export const definitionOf = (name: Way['definition']) =>
  definitions[name]().replaceAll(
    /\$\{(\w+)Arn\}/g,
    (_whole, functionName) => `arn:aws:lambda:us-east-1:123456789012:function:${functionName}`,
  );

const orderRef = { orderRef: 'order-1', generation: 1 };
const order = (status: string, more: object = {}) => ({
  ...orderRef,
  ...{
    reads: 1,
    repeats: 0,
    nextReadAt: '2030-01-01T00:00:00Z',
    known: {},
    pollAfterSeconds: 0,
    waitSeconds: 60,
    status,
  },
  ...more,
});
const documents = (count: number) => Array.from({ length: count }, (_, position) => ({ ...orderRef, position }));
const whole = { postponed: false };
const READ = ['Read order', 'Order status'];
const DOWNLOAD = ['Waiting for signature', 'Download document', 'Who signs'];
const UPLOAD = ['Upload signatures', 'Upload signature', 'Accept signatures', 'In work'];

export const ways: Way[] = [
  {
    definition: 'order',
    input: orderRef,
    answers: [
      order('NEW'),
      ...[order('WAITING_FOR_DOCUMENTS', { round: 1, documents: documents(2) }), whole, whole, { accepted: true }],
      ...[order('OFFERS_AVAILABLE'), 'asked', { confirmed: true }, { confirmed: true }],
      ...[
        order('WAITING_FOR_SIGNATURE', { round: 2, documents: documents(1), signing: 'external' }),
        whole,
        'asked',
        whole,
        { accepted: true },
      ],
      order('CLOSED'),
    ],
    tokens: [documents(2), {}],
    states: [
      ...[
        'Create order',
        'Wait before reading',
        ...READ,
        'Waiting for documents',
        'Upload document',
        'Upload document',
      ],
      ...[
        'Accept documents',
        'In work',
        ...READ,
        'Offers available',
        'Confirm offer',
        'Confirm one offer',
        'Confirm one offer',
      ],
      ...['Offers approved', ...READ, ...DOWNLOAD, 'Sign documents', ...UPLOAD, ...READ, 'Closed'],
    ],
    ends: 'SUCCEEDED',
  },
  {
    definition: 'order',
    input: orderRef,
    answers: [
      order('NEW'),
      ...[
        order('WAITING_FOR_SIGNATURE', { round: 1, documents: documents(1), signing: 'kms' }),
        whole,
        {},
        whole,
        { accepted: true },
      ],
      ...[order('VALIDATION_FAILED'), {}],
    ],
    tokens: [],
    states: [
      ...['Create order', 'Wait before reading', ...READ, ...DOWNLOAD, 'Sign documents with KMS', ...UPLOAD],
      ...[...READ, 'Validation failed', 'Record end', 'Order failed'],
    ],
    ends: 'ValidationFailed',
  },
];
