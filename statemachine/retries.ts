import { ENDED, MAY_HAVE_RUN, NOT_RUN } from '../core/aws/lambda-errors.ts';
import type order from './order.asl.json';

/** The Tasks among these states and in their Maps, by name. */
export type TasksOf<States> = {
  [Name in keyof States]: States[Name] extends { Resource: string }
    ? Name
    : States[Name] extends { ItemProcessor: { States: infer Items } }
      ? TasksOf<Items>
      : never;
}[keyof States];

/** Waits in seconds; each is twice the one before, with full jitter. */
export function retrier(ErrorEquals: string[], IntervalSeconds: number, MaxDelaySeconds: number, MaxAttempts: number) {
  return { ErrorEquals, IntervalSeconds, MaxAttempts, BackoffRate: 2, MaxDelaySeconds, JitterStrategy: 'FULL' };
}

/** Each policy is a retrier of the Amazon States Language. */
export const policies = {
  'not run': retrier(NOT_RUN, 2, 60, 6),
  'not run or ended': retrier([...NOT_RUN, ...MAY_HAVE_RUN, ...ENDED], 2, 60, 6),
  unavailable: retrier(['ServiceUnavailable'], 2, 30, 4),
  'unavailable or unknown': retrier(['ServiceUnavailable', 'OutcomeUnknown'], 2, 120, 8),
  throttled: retrier(['Throttled'], 5, 600, 12),
  /** The name of the next execution is fixed, so starting it twice gives one execution. */
  'not started': retrier(['States.TaskFailed'], 5, 300, 8),
  'started before': { ErrorEquals: ['StepFunctions.ExecutionAlreadyExistsException'], MaxAttempts: 0 },
} as const satisfies Record<string, Retrier>;

export interface Retrier {
  ErrorEquals: string[];
  IntervalSeconds?: number;
  MaxAttempts: number;
  BackoffRate?: number;
  MaxDelaySeconds?: number;
  JitterStrategy?: string;
}

export type Policy = keyof typeof policies;

/** The policies of every Task. Step Functions applies the first that matches. */
export const retries: Record<TasksOf<typeof order.States>, readonly Policy[]> = {
  // The exception: a function that may have run is not run again, because a creation is never repeated.
  'Create order': ['not run', 'unavailable', 'throttled'],
  'Read order': ['not run or ended', 'unavailable', 'throttled'],
  'Upload document': ['not run or ended', 'unavailable or unknown', 'throttled'],
  'Accept documents': ['not run or ended', 'unavailable', 'throttled'],
  'Download document': ['not run or ended', 'unavailable', 'throttled'],
  'Sign documents with KMS': ['not run or ended', 'unavailable'],
  'Sign documents': ['not run or ended', 'unavailable'],
  'Upload signature': ['not run or ended', 'unavailable or unknown', 'throttled'],
  'Accept signatures': ['not run or ended', 'unavailable', 'throttled'],
  'Offers available': ['not run or ended', 'unavailable'],
  'Confirm one offer': ['not run or ended', 'unavailable', 'throttled'],
  'Continue in a new execution': ['started before', 'not started'],
};
