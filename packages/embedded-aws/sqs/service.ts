import type { Account } from '../account.ts';
import type { MaySend } from '../events/send-policy.ts';
import {
  AwsError,
  existing,
  isJsonObject,
  type JsonObject,
  type Operations,
  objectOf,
  optionalString,
  requiredString,
} from '../protocol/operation.ts';
import { describeMessage, describeQueue } from './descriptions.ts';
import { checkHandle, checkMessage, numberIn } from './limits.ts';
import { createMoveTasks } from './move-tasks.ts';
import { type MessageAttribute, md5, type Queue } from './queue.ts';

export type SqsService = ReturnType<typeof createSqs>;

export function createSqs({ accountId }: Account, endpoint: string) {
  const queues = new Map<string, Queue>();
  /** Policies by queue name. A queue without a policy refuses messages from services. */
  const policies = new Map<string, MaySend>();
  const byUrl = (url: string): Queue | undefined => queues.get(url.split('/').pop() ?? '');
  const byArn = (arn: string): Queue | undefined => [...queues.values()].find((queue) => queue.arn === arn);
  const moves = createMoveTasks(queues, byArn);
  const named = (input: JsonObject): Queue => {
    const url = requiredString(input, 'QueueUrl');
    return existing(byUrl(url), 'QueueDoesNotExist', `The specified queue ${url} does not exist.`);
  };
  const sendMessage = (input: JsonObject) => sendTo(named(input), input);
  const operations: Operations = {
    GetQueueAttributes: (input) => ({ Attributes: describeQueue(named(input), input.AttributeNames) }),
    SendMessage: sendMessage,
    ReceiveMessage: (input) => receiveMessage(named(input), input),
    DeleteMessage: (input) => {
      const [queue, handle] = [named(input), requiredString(input, 'ReceiptHandle')];
      checkHandle(queue, handle);
      queue.delete(handle);
    },
    StartMessageMoveTask: moves.start,
    ListMessageMoveTasks: moves.list,
  };
  return {
    operations,
    sendMessage,
    byUrl,
    byArn,
    add: (queue: Queue): void => void queues.set(queue.name, queue),
    forget: (): void => {
      for (const queue of queues.values()) queue.purge();
      moves.forget();
    },
    url: ({ name }: Queue) => `${endpoint}/${accountId}/${name}`,
    setPolicy: ({ name }: Queue, maySend: MaySend): void => void policies.set(name, maySend),
    /** Sends as a service on behalf of a resource, such as a rule. Throws an AwsError if the queue's policy does not allow it. */
    sendFor: (service: string, sourceArn: string, queue: Queue, ...message: Parameters<Queue['send']>): void => {
      if (!policies.get(queue.name)?.(service, sourceArn))
        throw new AwsError('NO_PERMISSIONS', `The policy of ${queue.arn} does not let ${sourceArn} send to it.`);
      queue.send(...message);
    },
  };
}

function sendTo(queue: Queue, input: JsonObject): { MessageId: string; MD5OfMessageBody: string } {
  const attributes = objectOf(input.MessageAttributes);
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

/** Returns at once: WaitTimeSeconds is validated but ignored. */
function receiveMessage(queue: Queue, input: JsonObject): object {
  numberIn(input, 'WaitTimeSeconds');
  const most = numberIn(input, 'MaxNumberOfMessages') ?? 1;
  const received = queue.receive(most, numberIn(input, 'VisibilityTimeout'));
  return received.length === 0 ? {} : { Messages: received.map((message) => describeMessage(message, input)) };
}
