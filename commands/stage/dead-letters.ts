import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { type PlaceOptions, queueClientSettings } from './place.ts';
import { stackOutputs } from './stack-outputs.ts';

/** A dead-letter queue. `source` is where its messages are sent again; undefined for the sweep, whose next run does the same. */
interface LetterQueue {
  function: string;
  deadLetters: string;
  source: string | undefined;
}

/** The functions that have queues, with the beginning of their outputs' names. */
export const QUEUED = { 'check-package': 'CheckPackage', 'receive-upload': 'ReceiveUpload', 'record-end': 'RecordEnd' };

/** Seconds for which letters are hidden from others while a command looks at them. If the command is stopped, they reappear after that. */
const HIDDEN_SECONDS = 120;
const MOST_AT_ONCE = 10;
/** The errors of SQS for a message that is no longer hidden by this receipt handle. It names some of them in two ways. */
const GONE = /^(InvalidParameterValue(Exception)?|ReceiptHandleIsInvalid|MessageNotInflight)$/;

/** A message in a dead-letter queue, which this command has hidden from others. */
export interface Letter {
  id: string;
  queue: LetterQueue;
  message: Message;
}

/** A stage's dead-letter queues. */
export class DeadLetters {
  readonly #client: SQSClient;
  readonly #queues: readonly LetterQueue[];

  constructor(client: SQSClient, queues: readonly LetterQueue[]) {
    this.#client = client;
    this.#queues = queues;
  }

  /** Every letter that nobody else is looking at, the oldest first. Each must be put back or removed. */
  async take(): Promise<Letter[]> {
    const taken: Letter[] = [];
    for (const queue of this.#queues) taken.push(...(await this.#takeFrom(queue)));
    return taken.sort((one, other) => sentAt(one) - sentAt(other));
  }

  /** Makes letters visible to others again. Ignores letters that somebody else has deleted or taken meanwhile. */
  async putBack(letters: readonly Letter[]): Promise<void> {
    for (const { queue, message } of letters) {
      const { ReceiptHandle } = message;
      const again = { QueueUrl: queue.deadLetters, ReceiptHandle, VisibilityTimeout: 0 };
      try {
        await this.#client.send(new ChangeMessageVisibilityCommand(again));
      } catch (error) {
        if (!GONE.test((error as Error).name)) throw error;
      }
    }
  }

  /**
   * Sends the event to its function's queue again, then deletes the letter. If the command is stopped in between, the event comes
   * twice, which does no harm.
   */
  async replay({ queue, message }: Letter): Promise<void> {
    if (queue.source !== undefined) {
      await this.#client.send(new SendMessageCommand({ QueueUrl: queue.source, MessageBody: message.Body }));
    }
    const { ReceiptHandle } = message;
    await this.#client.send(new DeleteMessageCommand({ QueueUrl: queue.deadLetters, ReceiptHandle }));
  }

  async #takeFrom(queue: LetterQueue): Promise<Letter[]> {
    const taken = new Map<string, Letter>();
    for (;;) {
      const { Messages = [] } = await this.#client.send(
        new ReceiveMessageCommand({
          QueueUrl: queue.deadLetters,
          MaxNumberOfMessages: MOST_AT_ONCE,
          VisibilityTimeout: HIDDEN_SECONDS,
          // Asks all servers of the queue: without a wait, SQS may miss messages.
          WaitTimeSeconds: 1,
          MessageAttributeNames: ['All'],
          MessageSystemAttributeNames: ['All'],
        }),
      );
      const before = taken.size;
      for (const message of Messages)
        taken.set(message.MessageId ?? '', { id: message.MessageId ?? '', queue, message });
      if (taken.size === before) return [...taken.values()];
    }
  }
}

function sentAt({ message }: Letter): number {
  return Number(message.Attributes?.SentTimestamp);
}

/** @throws Refusal when the stage is not deployed there. */
export async function openDeadLetters(options: PlaceOptions): Promise<DeadLetters> {
  const outputs = await stackOutputs(options);
  const queues: LetterQueue[] = Object.entries(QUEUED).map(([name, prefix]) => ({
    function: name,
    deadLetters: outputs(`${prefix}DeadLetterQueueUrl`),
    source: outputs(`${prefix}QueueUrl`),
  }));
  const ofSweep = { function: 'sweep-orders', deadLetters: outputs('DeadLetterQueueUrl'), source: undefined };
  return new DeadLetters(new SQSClient(queueClientSettings(options)), [...queues, ofSweep]);
}
