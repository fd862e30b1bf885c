import type { OrderRow } from '../../api.ts';
import { messages } from '../messages/language.ts';

/** A status in words. The service's own name is its hint, and stands for one that has no words. */
export function statusWords(status: string): string {
  return messages.value.statuses[status] ?? status;
}

export function waitingWords(waitingFor: string): string {
  return messages.value.parties[waitingFor] ?? waitingFor;
}

/** What an order's state asks of people. Each tone has a colour, and a word beside it says the same. */
export type Tone = 'calm' | 'people' | 'bad' | 'good' | 'over';

export function toneOf({ status, waitingFor, failure }: Pick<OrderRow, 'status' | 'waitingFor' | 'failure'>): Tone {
  if (waitingFor === 'operator') return 'bad';
  if (waitingFor === 'signatures' || waitingFor === 'decision') return 'people';
  if (waitingFor === 'nobody') return status === 'CLOSED' ? 'good' : 'over';
  return failure === undefined ? 'calm' : 'bad';
}
