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
import { checkHandle, checkMessage, inBatch, invalidValue, numberIn } from './limits.ts';
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

  /** ARNs of the queues whose dead letters go to this queue. */
  sourcesOf(deadLettersArn: string): string[] {
    const queue = this.byArn(deadLettersArn);
    return queue ? this.#moves.sourcesOf(queue).map(({ arn }) => arn) : [];
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
      GetQueueUrl: (input) => ({ QueueUrl: this.url(this.#named(requiredString(input, 'QueueName'))) }),
      GetQueueAttributes: (input) => ({
        Attributes: describeQueue(this.#queue(input), input.AttributeNames),
      }),
      SendMessage: (input) => this.sendMessage(input),
      SendMessageBatch: (input) => inBatch(input, (entry) => this.sendMessage(entry)),
      ReceiveMessage: (input) => receiveMessage(this.#queue(input), input),
      DeleteMessage: (input) => this.#delete(input),
      ChangeMessageVisibility: (input) => changeVisibility(this.#queue(input), input),
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
    return this.#named(requiredString(input, 'QueueUrl').split('/').pop() ?? '');
  }

  #named(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue) return queue;
    throw new AwsError('QueueDoesNotExist', `The specified queue ${name} does not exist.`);
  }
}

/** Returns at once, however long WaitTimeSeconds is. */
function receiveMessage(queue: Queue, input: JsonObject): object {
  numberIn(input, 'WaitTimeSeconds');
  const most = numberIn(input, 'MaxNumberOfMessages') ?? 1;
  const received = queue.receive(most, numberIn(input, 'VisibilityTimeout'));
  return received.length === 0 ? {} : { Messages: received.map((message) => describeMessage(message, input)) };
}

function changeVisibility(queue: Queue, input: JsonObject): undefined {
  const handle = requiredString(input, 'ReceiptHandle');
  checkHandle(queue, handle);
  if (queue.changeVisibility(handle, numberIn(input, 'VisibilityTimeout') ?? 0)) return;
  const reason = 'Message does not exist or is not available for visibility timeout change.';
  throw invalidValue(handle, 'ReceiptHandle', reason);
}
