import { randomUUID } from 'node:crypto';
import { AwsError, type JsonObject, requiredString } from '../protocol/operation.ts';
import type { Queue } from './queue.ts';

interface MoveTask {
  TaskHandle: string;
  Status: 'COMPLETED';
  SourceArn: string;
  DestinationArn: string;
  ApproximateNumberOfMessagesMoved: number;
  StartedTimestamp: number;
}

/** SQS's own redrive: moves the messages of a dead-letter queue to the queue that the request names. A task ends at once. */
export class MoveTasks {
  readonly #queues: () => Queue[];
  #tasks: MoveTask[] = [];

  constructor(queues: () => Queue[]) {
    this.#queues = queues;
  }

  forget(): void {
    this.#tasks = [];
  }

  start(input: JsonObject): { TaskHandle: string } {
    const source = this.#named(requiredString(input, 'SourceArn'));
    const destination = this.#named(requiredString(input, 'DestinationArn'));
    if (!this.#queues().some(({ settings }) => settings.redrive?.to === source)) {
      throw new AwsError('InvalidParameterValue', 'The source queue must be a dead-letter queue.');
    }
    const moved = source.takeVisible();
    for (const { body, attributes } of moved) destination.send(body, attributes);
    const TaskHandle = randomUUID();
    this.#tasks.unshift({
      TaskHandle,
      Status: 'COMPLETED',
      SourceArn: source.arn,
      DestinationArn: destination.arn,
      ApproximateNumberOfMessagesMoved: moved.length,
      StartedTimestamp: source.settings.clock.now(),
    });
    return { TaskHandle };
  }

  /** The newest tasks first. */
  list(input: JsonObject): { Results: MoveTask[] } {
    const source = requiredString(input, 'SourceArn');
    return { Results: this.#tasks.filter(({ SourceArn }) => SourceArn === source) };
  }

  #named(queueArn: string): Queue {
    const queue = this.#queues().find(({ arn }) => arn === queueArn);
    if (queue) return queue;
    throw new AwsError('ResourceNotFoundException', `The queue ${queueArn} does not exist.`);
  }
}
