import { messages } from '../messages/language.ts';

/** A status in words. The service's own name is its hint, and stands for one that has no words. */
export function statusWords(status: string): string {
  return messages.value.statuses[status] ?? status;
}

export function waitingWords(waitingFor: string): string {
  return messages.value.parties[waitingFor] ?? waitingFor;
}
