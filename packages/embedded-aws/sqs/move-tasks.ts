import { randomUUID } from 'node:crypto';
import { AwsError, type JsonObject, optionalString, requiredString } from '../protocol/operation.ts';
import type { Queue } from './queue.ts';

interface MoveTask {
  TaskHandle: string;
  Status: 'COMPLETED' | 'FAILED';
  SourceArn: string;
  DestinationArn?: string;
  ApproximateNumberOfMessagesMoved: number;
  StartedTimestamp: number;
  FailureReason?: string;
}

/** SQS's own redrive: moves the messages of a dead-letter queue. A task ends at once. */
export class MoveTasks {
  readonly #queues: () => Queue[];
  #tasks: MoveTask[] = [];

  constructor(queues: () => Queue[]) {
    this.#queues = queues;
  }

  forget(): void {
    this.#tasks = [];
  }

  sourcesOf(deadLetters: Queue): Queue[] {
    return this.#queues().filter(({ settings }) => settings.redrive?.to === deadLetters);
  }

  start(input: JsonObject): { TaskHandle: string } {
    const source = this.#named(requiredString(input, 'SourceArn'));
    const destinationArn = optionalString(input, 'DestinationArn');
    const destination = destinationArn === undefined ? undefined : this.#named(destinationArn);
    if (this.sourcesOf(source).length === 0) {
      throw new AwsError('InvalidParameterValue', 'The source queue must be a dead-letter queue.');
    }
    const task = this.#move(source, destination);
    this.#tasks.unshift(task);
    return { TaskHandle: task.TaskHandle };
  }

  /** The newest tasks first. */
  list(input: JsonObject): { Results: MoveTask[] } {
    const source = requiredString(input, 'SourceArn');
    return { Results: this.#tasks.filter(({ SourceArn }) => SourceArn === source) };
  }

  /**
   * Without a destination, each message goes to the queue that it came from. That is unknown for a message that was sent to the dead-letter
   * queue directly.
   */
  #move(source: Queue, destination: Queue | undefined): MoveTask {
    const task: MoveTask = {
      TaskHandle: randomUUID(),
      Status: 'COMPLETED',
      SourceArn: source.arn,
      ...(destination && { DestinationArn: destination.arn }),
      ApproximateNumberOfMessagesMoved: 0,
      StartedTimestamp: source.settings.clock.now(),
    };
    for (const { body, attributes, deadLetterOf } of source.takeVisible()) {
      const origin = destination ?? this.#queues().find(({ arn }) => arn === deadLetterOf);
      if (origin) task.ApproximateNumberOfMessagesMoved += 1;
      else Object.assign(task, { Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource' });
      (origin ?? source).send(body, attributes);
    }
    return task;
  }

  #named(queueArn: string): Queue {
    const queue = this.#queues().find(({ arn }) => arn === queueArn);
    if (queue) return queue;
    throw new AwsError('ResourceNotFoundException', `The queue ${queueArn} does not exist.`);
  }
}
