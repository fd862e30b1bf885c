import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { DeleteMessageCommand, GetQueueAttributesCommand, ReceiveMessageCommand, type ReceiveMessageCommandOutput, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { casesOf, moto, type Scope, unchecked } from '../case.ts';

const SQS = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_{operation}.html';
const { answers, accepts, refuses } = casesOf(SQSClient, SQS, ({ queue }) => ({ QueueUrl: queue }));
const QUOTAS = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html';
const HIDDEN = 'ApproximateNumberOfMessagesNotVisible';
const KiB = 1_024;
const bodies = ({ Messages = [] }: { Messages?: { Body?: string | undefined }[] | undefined }) => Messages.map(({ Body }) => Body);
const receipt = ({ handle }: Scope) => ({ ReceiptHandle: handle });
const kept = { eventually: true, keep: ({ Messages }: ReceiveMessageCommandOutput) => ({ handle: Messages?.[0]?.ReceiptHandle }) };
const note = (StringValue: string) => ({ MessageAttributes: { note: { DataType: 'String', StringValue } } });

const receive = [
  answers('a message', SendMessageCommand, { MessageBody: 'first' }, ({ MD5OfMessageBody }) => MD5OfMessageBody, '8b04d5e3775d298e78455efc5ca404d5'),
  refuses('eleven messages', ReceiveMessageCommand, { MaxNumberOfMessages: 11 }, 'InvalidParameterValue'),
  refuses('zero messages', ReceiveMessageCommand, { MaxNumberOfMessages: 0 }, 'InvalidParameterValue'),
  refuses('a wait of 21 seconds', ReceiveMessageCommand, { WaitTimeSeconds: 21 }, 'InvalidParameterValue'),
  refuses('more than 12 hours', ReceiveMessageCommand, { VisibilityTimeout: 43_201 }, 'InvalidParameterValue'),
  answers(
    'a message',
    ReceiveMessageCommand,
    { MessageSystemAttributeNames: ['ApproximateReceiveCount'] },
    ({ Messages }) => [Messages?.[0]?.Body, Messages?.[0]?.Attributes?.ApproximateReceiveCount],
    ['first', '1'],
    kept,
  ),
  answers('a message that somebody has', ReceiveMessageCommand, {}, bodies, []),
  answers('how many there are', GetQueueAttributesCommand, { AttributeNames: [HIDDEN] }, ({ Attributes }) => Attributes, { [HIDDEN]: '1' }, { eventually: true }),
];

const handle = [
  refuses('a receipt that is none', DeleteMessageCommand, { ReceiptHandle: 'none' }, 'ReceiptHandleIsInvalid'),
  refuses('a receipt of another queue', DeleteMessageCommand, ({ tokenQueue, handle }) => ({ QueueUrl: tokenQueue, ReceiptHandle: handle }), 'ReceiptHandleIsInvalid'),
  accepts('the message', DeleteMessageCommand, receipt),
  accepts('it a second time', DeleteMessageCommand, receipt),
];

const refusals = [
  refuses('an empty body', SendMessageCommand, { MessageBody: '' }, 'MissingParameter', { source: 'https://github.com/localstack/localstack/issues/12317', ...unchecked }),
  refuses('a control character in an attribute', SendMessageCommand, { MessageBody: 'x', ...note('\uFFFF') }, 'InvalidMessageContents', unchecked),
  refuses('a control character', SendMessageCommand, { MessageBody: 'a\u0001b' }, 'InvalidMessageContents', unchecked),
  refuses('more than 1 MiB', SendMessageCommand, { MessageBody: 'x'.repeat(1_024 * KiB + 1) }, 'InvalidParameterValue', { source: QUOTAS }),
  refuses('more than 1 MiB with its attributes', SendMessageCommand, { MessageBody: 'x'.repeat(1_024 * KiB), ...note('x') }, 'InvalidParameterValue', { source: QUOTAS, ...unchecked }),
  refuses('a delay of 901 seconds', SendMessageCommand, { MessageBody: 'x', DelaySeconds: 901 }, 'InvalidParameterValue'),
  refuses('a queue that does not exist', SendMessageCommand, ({ queue }) => ({ QueueUrl: `${queue}-none`, MessageBody: 'x' }), 'QueueDoesNotExist'),
];

export const sqs = { service: 'SQS', cases: [...receive, ...handle, ...refusals] };

const bus = casesOf(EventBridgeClient, 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_{operation}.html');
const eventQueue = casesOf(SQSClient, SQS, ({ eventQueue }) => ({ QueueUrl: eventQueue }));
const ENTRY = 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html';
const eventsOf =
  (...given: Partial<PutEventsRequestEntry>[]) =>
  ({ bus }: Scope) => ({ Entries: given.map((entry) => ({ EventBusName: bus, Source: 'conformance', DetailType: 'A thing happened', Detail: '{}', ...entry })) });
const codes = ({ Entries = [], FailedEntryCount }: { Entries?: { ErrorCode?: string | undefined }[] | undefined; FailedEntryCount?: number | undefined }) => [
  FailedEntryCount,
  ...Entries.map(({ ErrorCode }) => ErrorCode ?? 'sent'),
];
/** A member that the SDK's types require. */
const without = (member: keyof PutEventsRequestEntry) => ({ [member]: undefined });

export const events = {
  service: 'EventBridge',
  cases: [
    bus.answers('two events', PutEventsCommand, eventsOf({ Detail: '{"wanted":true,"count":1,"order":"o-1"}' }, { Detail: '{"wanted":true,"count":0}' }), codes, [0, 'sent', 'sent']),
    eventQueue.answers(
      'the event that a rule matches',
      ReceiveMessageCommand,
      { MaxNumberOfMessages: 10 },
      ({ Messages = [] }) => Messages.map(({ Body = '' }) => JSON.parse(Body).detail.order),
      ['o-1'],
      {
        eventually: true,
        source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html',
      },
    ),
    bus.answers('an event of AWS', PutEventsCommand, eventsOf({ Source: 'aws.s3' }), codes, [1, 'NotAuthorizedForSourceException'], {
      source: ENTRY,
      ...moto('[0,"sent"]', 'moto does not check it.'),
    }),
    bus.answers('a detail that is not JSON', PutEventsCommand, eventsOf({ Detail: '{' }), codes, [1, 'MalformedDetail'], { source: ENTRY }),
    bus.answers('a detail that is a list', PutEventsCommand, eventsOf({ Detail: '[]' }), codes, [1, 'MalformedDetail'], { source: ENTRY, ...moto('[0,"sent"]', 'moto takes any JSON.') }),
    bus.answers('no source', PutEventsCommand, eventsOf(without('Source')), codes, [1, 'InvalidArgument'], { source: ENTRY }),
    bus.answers('no detail type', PutEventsCommand, eventsOf(without('DetailType')), codes, [1, 'InvalidArgument'], { source: ENTRY }),
    bus.answers('no detail', PutEventsCommand, eventsOf(without('Detail')), codes, [1, 'InvalidArgument'], { source: ENTRY }),
    bus.answers('one good event and one bad', PutEventsCommand, eventsOf({}, { Detail: '{' }), codes, [1, 'sent', 'MalformedDetail'], { source: ENTRY }),
    bus.refuses('no event', PutEventsCommand, eventsOf(), 'ValidationException', unchecked),
    bus.refuses('eleven events', PutEventsCommand, eventsOf(...Array(11).fill({})), 'ValidationException'),
    bus.refuses('a bus that does not exist', PutEventsCommand, eventsOf({}, { EventBusName: 'conformance-none' }), 'ResourceNotFoundException'),
    bus.refuses('two events of more than 1 MB together', PutEventsCommand, eventsOf(...Array(2).fill({ Detail: JSON.stringify({ text: 'é'.repeat(300_000) }) })), 'ValidationException', {
      source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html',
      ...unchecked,
    }),
    bus.refuses('more than 1 MB', PutEventsCommand, eventsOf({ Detail: JSON.stringify({ text: 'x'.repeat(1_100_000) }) }), 'ValidationException', {
      source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html',
      ...unchecked,
    }),
  ],
};
