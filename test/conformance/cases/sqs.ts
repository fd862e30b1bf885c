import { ChangeMessageVisibilityCommand, DeleteMessageCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { casesOf, misdirected, moto, unchecked } from '../case.ts';

const { answers, refuses } = casesOf(SQSClient, 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_{operation}.html', ({ queue }) => ({ QueueUrl: queue }));
const QUOTAS = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html';
const KiB = 1_024;
const bodies = ({ Messages = [] }: { Messages?: { Body?: string | undefined }[] | undefined }) => Messages.map(({ Body }) => Body);
const entries = (count: number, MessageBody = 'x') => ({ Entries: Array.from({ length: count }, (_, index) => ({ Id: `${index}`, MessageBody })) });
const receipt = ({ handle }: Record<string, string>) => ({ ReceiptHandle: handle });

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
    { eventually: true, keep: ({ Messages }) => ({ handle: Messages?.[0]?.ReceiptHandle }) },
  ),
  answers('a message that somebody has', ReceiveMessageCommand, {}, bodies, []),
  answers(
    'how many there are',
    GetQueueAttributesCommand,
    { AttributeNames: ['ApproximateNumberOfMessagesNotVisible'] },
    ({ Attributes }) => Attributes,
    { ApproximateNumberOfMessagesNotVisible: '1' },
    { eventually: true },
  ),
];

const handle = [
  answers(
    'at once',
    ChangeMessageVisibilityCommand,
    (scope) => ({ ...receipt(scope), VisibilityTimeout: 0 }),
    () => 'visible',
    'visible',
  ),
  answers('it again', ReceiveMessageCommand, {}, bodies, ['first'], { eventually: true, keep: ({ Messages }) => ({ handle: Messages?.[0]?.ReceiptHandle }) }),
  refuses('more than 12 hours', ChangeMessageVisibilityCommand, (scope) => ({ ...receipt(scope), VisibilityTimeout: 43_201 }), 'InvalidParameterValue'),
  refuses('a receipt that is none', ChangeMessageVisibilityCommand, { ReceiptHandle: 'none', VisibilityTimeout: 0 }, 'ReceiptHandleIsInvalid'),
  refuses('a receipt that is none', DeleteMessageCommand, { ReceiptHandle: 'none' }, 'ReceiptHandleIsInvalid'),
  refuses('a receipt of another queue', DeleteMessageCommand, ({ tokenQueue, handle }) => ({ QueueUrl: tokenQueue, ReceiptHandle: handle }), 'ReceiptHandleIsInvalid'),
  answers('the message', DeleteMessageCommand, receipt, () => 'gone', 'gone'),
  answers('it a second time', DeleteMessageCommand, receipt, () => 'gone', 'gone'),
  refuses(
    'a message that is deleted',
    ChangeMessageVisibilityCommand,
    (scope) => ({ ...receipt(scope), VisibilityTimeout: 0 }),
    'InvalidParameterValue',
    moto('ReceiptHandleIsInvalid', 'moto forgets the receipts of deleted messages.'),
  ),
  refuses('a request that is signed for another service', GetQueueAttributesCommand, {}, 'InvalidSignatureException', misdirected),
];

const refusals = [
  refuses('an empty body', SendMessageCommand, { MessageBody: '' }, 'MissingParameter', { source: 'https://github.com/localstack/localstack/issues/12317', ...unchecked }),
  refuses(
    'a control character in an attribute',
    SendMessageCommand,
    { MessageBody: 'x', MessageAttributes: { note: { DataType: 'String', StringValue: '\uFFFF' } } },
    'InvalidMessageContents',
    unchecked,
  ),
  refuses('a control character', SendMessageCommand, { MessageBody: 'a\u0001b' }, 'InvalidMessageContents', unchecked),
  refuses('more than 1 MiB', SendMessageCommand, { MessageBody: 'x'.repeat(1_024 * KiB + 1) }, 'InvalidParameterValue', { source: QUOTAS }),
  refuses(
    'more than 1 MiB with its attributes',
    SendMessageCommand,
    { MessageBody: 'x'.repeat(1_024 * KiB), MessageAttributes: { note: { DataType: 'String', StringValue: 'x' } } },
    'InvalidParameterValue',
    { source: QUOTAS, ...unchecked },
  ),
  refuses('a delay of 901 seconds', SendMessageCommand, { MessageBody: 'x', DelaySeconds: 901 }, 'InvalidParameterValue'),
  refuses('a queue that does not exist', SendMessageCommand, ({ queue }) => ({ QueueUrl: `${queue}-none`, MessageBody: 'x' }), 'QueueDoesNotExist'),
  refuses('no message', SendMessageBatchCommand, entries(0), 'EmptyBatchRequest'),
  refuses('eleven messages', SendMessageBatchCommand, entries(11), 'TooManyEntriesInBatchRequest'),
  refuses('one Id twice', SendMessageBatchCommand, { Entries: [...(entries(1).Entries ?? []), ...(entries(1).Entries ?? [])] }, 'BatchEntryIdsNotDistinct'),
  refuses('an Id with a space', SendMessageBatchCommand, { Entries: [{ Id: 'a b', MessageBody: 'x' }] }, 'InvalidBatchEntryId'),
  refuses('more than 1 MiB together', SendMessageBatchCommand, entries(2, 'x'.repeat(512 * KiB + 1)), 'BatchRequestTooLong', { source: QUOTAS }),
];

export const sqs = { service: 'SQS', cases: [...receive, ...handle, ...refusals] };
