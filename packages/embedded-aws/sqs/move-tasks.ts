import { randomUUID } from 'node:crypto';
import { AwsError, existing, type JsonObject, requiredString } from '../protocol/operation.ts';
import type { Queue } from './queue.ts';

/** Dead-letter queue redrive: moves messages to the queue in the request. Tasks complete at once. */
export function createMoveTasks(queues: ReadonlyMap<string, Queue>, byArn: (arn: string) => Queue | undefined) {
  let tasks: { SourceArn: string; [fact: string]: string | number }[] = [];
  const named = (arn: string): Queue =>
    existing(byArn(arn), 'ResourceNotFoundException', `The queue ${arn} does not exist.`);
  return {
    forget: (): void => {
      tasks = [];
    },
    start: (input: JsonObject): { TaskHandle: string } => {
      const source = named(requiredString(input, 'SourceArn'));
      const destination = named(requiredString(input, 'DestinationArn'));
      if (![...queues.values()].some(({ settings }) => settings.redrive?.to === source)) {
        throw new AwsError('InvalidParameterValue', 'The source queue must be a dead-letter queue.');
      }
      const moved = source.takeVisible();
      for (const { body, attributes } of moved) destination.send(body, attributes);
      const TaskHandle = randomUUID();
      tasks.unshift({
        TaskHandle,
        Status: 'COMPLETED',
        SourceArn: source.arn,
        DestinationArn: destination.arn,
        ApproximateNumberOfMessagesMoved: moved.length,
        StartedTimestamp: source.settings.clock.now(),
      });
      return { TaskHandle };
    },
    /** Newest first. */
    list: (input: JsonObject): object => {
      const source = requiredString(input, 'SourceArn');
      return { Results: tasks.filter(({ SourceArn }) => SourceArn === source) };
    },
  };
}
