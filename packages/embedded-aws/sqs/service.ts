import type { Account } from '../account.ts';
import type { MaySend } from '../events/send-policy.ts';
import {
  AwsError,
  isJsonObject,
  type JsonObject,
  type Operations,
  optionalString,
  requiredString,
} from '../protocol/operation.ts';
import { describeMessage, describeQueue } from './descriptions.ts';
import { checkHandle, checkMessage, numberIn } from './limits.ts';
import { MoveTasks } from './move-tasks.ts';
import { type MessageAttribute, md5, type Queue } from './queue.ts';

/** SQS: the queues of the account and the API. */
export class SqsService {
  readonly #queues = new Map<string, Queue>();
  /** By the queue's name. A queue without a policy accepts nothing from services. */
  readonly #policies = new Map<string, MaySend>();
  readonly #moves = new MoveTasks(() => [...this.#queues.values()]);
  readonly #account: Account;
  readonly #endpoint: string;

  constructor(account: Account, endpoint: string) {
    this.#account = account;
    this.#endpoint = endpoint;
  }

  add(queue: Queue): void {
    this.#queues.set(queue.name, queue);
  }

  forget(): void {
    for (const queue of this.#queues.values()) queue.purge();
    this.#moves.forget();
  }

  url(queue: Queue): string {
    return `${this.#endpoint}/${this.#account.accountId}/${queue.name}`;
  }

  byArn(arn: string): Queue | undefined {
    return [...this.#queues.values()].find((queue) => queue.arn === arn);
  }

  byUrl(url: string): Queue | undefined {
    return this.#queues.get(url.split('/').pop() ?? '');
  }

  setPolicy(queue: Queue, maySend: MaySend): void {
    this.#policies.set(queue.name, maySend);
  }

  /** A service sends on behalf of a resource, such as a rule. Throws an AwsError if the queue's policy does not allow it. */
  sendFor(
    service: string,
    sourceArn: string,
    queue: Queue,
    body: string,
    attributes?: Record<string, MessageAttribute>,
  ): void {
    if (!this.#policies.get(queue.name)?.(service, sourceArn)) {
      throw new AwsError('NO_PERMISSIONS', `The policy of ${queue.arn} does not let ${sourceArn} send to it.`);
    }
    queue.send(body, attributes);
  }

  operations(): Operations {
    return {
      GetQueueAttributes: (input) => ({
        Attributes: describeQueue(this.#queue(input), input.AttributeNames),
      }),
      SendMessage: (input) => this.sendMessage(input),
      ReceiveMessage: (input) => receiveMessage(this.#queue(input), input),
      DeleteMessage: (input) => this.#delete(input),
      StartMessageMoveTask: (input) => this.#moves.start(input),
      ListMessageMoveTasks: (input) => this.#moves.list(input),
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
    const body = optionalString(input, 'MessageBody') ?? '';
    if (body === '') throw new AwsError('MissingParameter', 'The request must contain the parameter MessageBody.');
    checkMessage(input);
    const delay = numberIn(input, 'DelaySeconds');
    const message = queue.send(body, attributes as unknown as Record<string, MessageAttribute>, delay);
    return { MessageId: message.messageId, MD5OfMessageBody: md5(body) };
  }

  #delete(input: JsonObject): undefined {
    const [queue, handle] = [this.#queue(input), requiredString(input, 'ReceiptHandle')];
    checkHandle(queue, handle);
    queue.delete(handle);
  }

  #queue(input: JsonObject): Queue {
    const url = requiredString(input, 'QueueUrl');
    const queue = this.byUrl(url);
    if (queue) return queue;
    throw new AwsError('QueueDoesNotExist', `The specified queue ${url} does not exist.`);
  }
}

/** Returns at once, however long WaitTimeSeconds is. */
function receiveMessage(queue: Queue, input: JsonObject): object {
  numberIn(input, 'WaitTimeSeconds');
  const most = numberIn(input, 'MaxNumberOfMessages') ?? 1;
  const received = queue.receive(most, numberIn(input, 'VisibilityTimeout'));
  return received.length === 0 ? {} : { Messages: received.map((message) => describeMessage(message, input)) };
}
