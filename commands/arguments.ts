import { InvalidArgumentError } from 'commander';
import { isOrderRef } from '../functions/shared/order/intake-key.ts';
import type { WaitingFor } from '../functions/shared/order/order-item.ts';
import type { Answer } from './refusal.ts';
import type { PlaceOptions } from './stage/place.ts';

/** Does what a command says and prints the answer. Commands load what they need when they run: the SDK is large. */
export type Perform = (work: (place: PlaceOptions) => Promise<Answer>) => Promise<void>;

/** Whom an order may wait for. */
export const PARTIES = ['service', 'signatures', 'decision', 'operator', 'nobody'] as const satisfies WaitingFor[];

export function orderReference(text: string): string {
  if (isOrderRef(text)) return text;
  throw new InvalidArgumentError('It is no orderRef: 1-64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit.');
}

export function address(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new InvalidArgumentError('It is no http:// address.');
}

/** For an option that may be said several times. */
export function collect(text: string, earlier: string[] = []): string[] {
  return [...earlier, text];
}
