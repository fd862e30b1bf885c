import type { Account } from '../account.ts';
import { AwsError } from '../protocol/errors.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { type Operations, optionalNumber, optionalString, requiredString } from '../protocol/json-service.ts';
import { type MessageAttribute, md5, type Queue, type QueueMessage } from './queue.ts';

/** SQS: the queues of the account and the API. */
export class SqsService {
  readonly #queues = new Map<string, Queue>();
  readonly #account: Account;
  readonly #endpoint: () => string;

  constructor(account: Account, endpoint: () => string) {
    this.#account = account;
    this.#endpoint = endpoint;
  }

  add(queue: Queue): void {
    this.#queues.set(queue.name, queue);
  }

  forget(): void {
    for (const queue of this.#queues.values()) queue.purge();
  }

  url(queue: Queue): string {
    return `${this.#endpoint()}/${this.#account.accountId}/${queue.name}`;
  }

  byArn(arn: string): Queue | undefined {
    return [...this.#queues.values()].find((queue) => queue.arn === arn);
  }

  operations(): Operations {
    return {
      ListQueues: (input) => ({ QueueUrls: this.#startingWith(optionalString(input, 'QueueNamePrefix') ?? '') }),
      GetQueueUrl: (input) => ({ QueueUrl: this.url(this.#named(requiredString(input, 'QueueName'))) }),
      GetQueueAttributes: (input) => ({
        Attributes: chosen(queueAttributes(this.#queue(input)), input.AttributeNames),
      }),
      SendMessage: (input) => this.sendMessage(input),
      ReceiveMessage: (input) => receiveMessage(this.#queue(input), input),
      DeleteMessage: (input) => this.#queue(input).delete(requiredString(input, 'ReceiptHandle')),
      PurgeQueue: (input) => this.#queue(input).purge(),
    };
  }

  sendMessage(input: JsonObject): { MessageId: string; MD5OfMessageBody: string } {
    const queue = this.#queue(input);
    const attributes = isJsonObject(input.MessageAttributes) ? input.MessageAttributes : {};
    for (const [name, attribute] of Object.entries(attributes)) {
      if (!isJsonObject(attribute) || typeof attribute.StringValue !== 'string') {
        throw new AwsError('UnsupportedOperation', `The message attribute ${name} is not a string.`);
      }
    }
    const body = requiredString(input, 'MessageBody');
    const delay = optionalNumber(input, 'DelaySeconds');
    const message = queue.send(body, attributes as unknown as Record<string, MessageAttribute>, delay);
    return { MessageId: message.messageId, MD5OfMessageBody: md5(body) };
  }

  #startingWith(prefix: string): string[] {
    return [...this.#queues.values()].filter(({ name }) => name.startsWith(prefix)).map((queue) => this.url(queue));
  }

  #queue(input: JsonObject): Queue {
    return this.#named(requiredString(input, 'QueueUrl').split('/').pop() ?? '');
  }

  #named(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue) return queue;
    throw new AwsError('QueueDoesNotExist', `The specified queue ${name} does not exist.`);
  }
}

function queueAttributes(queue: Queue): Record<string, string> {
  const { visible, hidden, delayed } = queue.count();
  return {
    QueueArn: queue.arn,
    VisibilityTimeout: String(queue.visibilityTimeoutSeconds),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(hidden),
    ApproximateNumberOfMessagesDelayed: String(delayed),
  };
}

function chosen(attributes: Record<string, string>, names: unknown): Record<string, string> {
  const wanted = Array.isArray(names) ? names : [];
  return Object.fromEntries(
    Object.entries(attributes).filter(([name]) => wanted.includes('All') || wanted.includes(name)),
  );
}

/** Returns at once and ignores WaitTimeSeconds. */
function receiveMessage(queue: Queue, input: JsonObject): object {
  const most = optionalNumber(input, 'MaxNumberOfMessages') ?? 1;
  const received = queue.receive(most, optionalNumber(input, 'VisibilityTimeout'));
  return received.length === 0 ? {} : { Messages: received.map((message) => describe(message, input)) };
}

function describe(message: QueueMessage, input: JsonObject): object {
  const system = {
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
  };
  const names = Array.isArray(input.MessageAttributeNames) ? input.MessageAttributeNames : [];
  const attributes = Object.entries(message.attributes).filter(([name]) =>
    names.some((wanted) => wanted === 'All' || wanted === '.*' || wanted === name),
  );
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receiptHandle,
    MD5OfBody: md5(message.body),
    Body: message.body,
    Attributes: chosen(system, input.MessageSystemAttributeNames ?? input.AttributeNames),
    ...(attributes.length > 0 ? { MessageAttributes: Object.fromEntries(attributes) } : {}),
  };
}
