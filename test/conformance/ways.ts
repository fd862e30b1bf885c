import { orderDefinition } from '../../statemachine/order-definition.ts';

/** The text of the definition, with made-up ARNs. */
export const definition = JSON.stringify(orderDefinition()).replaceAll(
  /\$\{(\w+)Arn\}/g,
  'arn:aws:lambda:us-east-1:123456789012:function:$1',
);

/** A way through the definition. */
export interface Way {
  /** What the functions answer, one after another. */
  answers: unknown[];
  /** What the Tasks that wait for a token are told. */
  tokens: object[];
  /** The states that the execution enters, then its status or its error. */
  goes: string[];
}

export const input = { orderRef: 'order-1', generation: 1 };
const facts = {
  reads: 1,
  repeats: 0,
  nextReadAt: '2030-01-01T00:00:00Z',
  known: {},
  pollAfterSeconds: 0,
  waitSeconds: 60,
};
const order = (status: string, more: object = {}) => ({ ...input, ...facts, status, ...more });
const documents = (count: number) => Array.from({ length: count }, (_, position) => ({ ...input, position }));
const whole = { postponed: false };
const BEGIN = ['Create order', 'Wait before reading'];
const READ = ['Read order', 'Order status'];
const DOWNLOAD = ['Waiting for signature', 'Download document', 'Who signs'];
const UPLOAD = ['Upload signatures', 'Upload signature', 'Accept signatures', 'In work'];
const SEND = ['Waiting for documents', 'Upload document', 'Upload document', 'Accept documents', 'In work'];
const CONFIRM = ['Offers available', 'Confirm offer', 'Confirm one offer', 'Confirm one offer', 'Offers approved'];
const FAIL = ['Validation failed', 'Record end', 'Order failed', 'ValidationFailed'];

export const ways: Way[] = [
  {
    answers: [
      order('NEW'),
      order('WAITING_FOR_DOCUMENTS', { round: 1, documents: documents(2) }),
      whole,
      whole,
      { accepted: true },
      order('OFFERS_AVAILABLE'),
      'asked',
      { confirmed: true },
      { confirmed: true },
      order('WAITING_FOR_SIGNATURE', { round: 2, documents: documents(1), signing: 'external' }),
      whole,
      'asked',
      whole,
      { accepted: true },
      order('CLOSED'),
    ],
    tokens: [documents(2), {}],
    goes: [
      BEGIN,
      READ,
      SEND,
      READ,
      CONFIRM,
      READ,
      DOWNLOAD,
      'Sign documents',
      UPLOAD,
      READ,
      'Closed',
      'SUCCEEDED',
    ].flat(),
  },
  {
    answers: [
      order('NEW'),
      order('WAITING_FOR_SIGNATURE', { round: 1, documents: documents(1), signing: 'kms' }),
      whole,
      {},
      whole,
      { accepted: true },
      order('VALIDATION_FAILED'),
      {},
    ],
    tokens: [],
    goes: [BEGIN, READ, DOWNLOAD, 'Sign documents with KMS', UPLOAD, READ, FAIL].flat(),
  },
];
