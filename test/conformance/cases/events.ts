import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { casesOf, misdirected, moto, unchecked } from '../case.ts';

const reference = 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_{operation}.html';
const { answers, refuses } = casesOf(EventBridgeClient, reference);
const queue = casesOf(SQSClient, 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_{operation}.html', ({ eventQueue }) => ({ QueueUrl: eventQueue }));
const ENTRY = 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html';
const entries =
  (...given: Partial<PutEventsRequestEntry>[]) =>
  ({ bus }: Record<string, string>) => ({
    Entries: given.map((entry) => ({ EventBusName: bus, Source: 'conformance', DetailType: 'A thing happened', Detail: '{}', ...entry })),
  });
const codes = ({ Entries = [], FailedEntryCount }: { Entries?: { ErrorCode?: string | undefined }[] | undefined; FailedEntryCount?: number | undefined }) => [
  FailedEntryCount,
  ...Entries.map(({ ErrorCode }) => ErrorCode ?? 'sent'),
];
/** A member that the SDK's types require. */
const without = (member: keyof PutEventsRequestEntry) => ({ [member]: undefined });

export const events = {
  service: 'EventBridge',
  cases: [
    answers('two events', PutEventsCommand, entries({ Detail: '{"wanted":true,"order":"o-1"}' }, { Detail: '{"wanted":false}' }), codes, [0, 'sent', 'sent']),
    queue.answers('the event that a rule matches', ReceiveMessageCommand, { MaxNumberOfMessages: 10 }, ({ Messages = [] }) => Messages.map(({ Body = '' }) => JSON.parse(Body).detail.order), ['o-1'], {
      eventually: true,
      source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html',
    }),
    answers('an event of AWS', PutEventsCommand, entries({ Source: 'aws.s3' }), codes, [1, 'NotAuthorizedForSourceException'], { source: ENTRY, ...moto('[0,"sent"]', 'moto does not check it.') }),
    answers('a detail that is not JSON', PutEventsCommand, entries({ Detail: '{' }), codes, [1, 'MalformedDetail'], { source: ENTRY }),
    answers('a detail that is a list', PutEventsCommand, entries({ Detail: '[]' }), codes, [1, 'MalformedDetail'], { source: ENTRY, ...moto('[0,"sent"]', 'moto takes any JSON.') }),
    answers('no source', PutEventsCommand, entries(without('Source')), codes, [1, 'InvalidArgument'], { source: ENTRY }),
    answers('no detail type', PutEventsCommand, entries(without('DetailType')), codes, [1, 'InvalidArgument'], { source: ENTRY }),
    answers('no detail', PutEventsCommand, entries(without('Detail')), codes, [1, 'InvalidArgument'], { source: ENTRY }),
    answers('one good event and one bad', PutEventsCommand, entries({}, { Detail: '{' }), codes, [1, 'sent', 'MalformedDetail'], { source: ENTRY }),
    refuses('no event', PutEventsCommand, entries(), 'ValidationException', unchecked),
    refuses('eleven events', PutEventsCommand, entries(...Array(11).fill({})), 'ValidationException'),
    refuses('a bus that does not exist', PutEventsCommand, entries({}, { EventBusName: 'conformance-none' }), 'ResourceNotFoundException'),
    refuses('two events of more than 1 MB together', PutEventsCommand, entries(...Array(2).fill({ Detail: JSON.stringify({ text: 'é'.repeat(300_000) }) })), 'ValidationException', {
      source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html',
      ...unchecked,
    }),
    refuses('more than 1 MB', PutEventsCommand, entries({ Detail: JSON.stringify({ text: 'x'.repeat(1_100_000) }) }), 'ValidationException', {
      source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html',
      ...unchecked,
    }),
    refuses('a request that is signed for another service', PutEventsCommand, entries({}), 'InvalidSignatureException', misdirected),
  ],
};
