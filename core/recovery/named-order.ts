import { isOrderRef } from '../package/intake-key.ts';

/** The order that an event about an execution's end names. Undefined if the message names none. */
export function orderOfEnd(message: unknown): string | undefined {
  const { input } = (message as { detail?: { input?: unknown } } | null)?.detail ?? {};
  return typeof input === 'string' ? orderIn(input)?.orderRef : undefined;
}

/** The order that an execution's input names; undefined if it names none: people may start executions with any input. */
export function orderIn(input: string): { orderRef: string; generation: number } | undefined {
  let named: Partial<Record<'orderRef' | 'generation', unknown>> | null;
  try {
    named = JSON.parse(input);
  } catch {
    return undefined;
  }
  const { orderRef, generation } = named ?? {};
  if (typeof orderRef !== 'string' || !isOrderRef(orderRef)) return undefined;
  const isNumber = typeof generation === 'number' && Number.isSafeInteger(generation) && generation > 0;
  return isNumber ? { orderRef, generation } : undefined;
}
