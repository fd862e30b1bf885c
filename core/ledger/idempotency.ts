import { isDeepStrictEqual } from 'node:util';
import { timeIn } from '../time.ts';
import type { LedgerEntry } from './entry.ts';

/** The header for the keys; for how many hours the service promises to remember those of what it did. */
export type IdempotencyRule = { header: string; rememberedHours?: number | undefined };
type Earlier = LedgerEntry | undefined;

/**
 * An operation's key for the service: the same until attempts were certainly refused, which the service may remember, or had other content.
 * @param newKey is random: it says nothing of a person.
 */
export function idempotencyOf(rule: IdempotencyRule, newKey: string, earlier: Earlier, intent: LedgerEntry['intent']) {
  const { header, rememberedHours } = rule;
  const isOpen = earlier?.knowledge.state === 'open';
  const isJudged = !isOpen && (earlier?.failure === 'Rejected' || earlier?.resolvedAt !== undefined);
  const isSame = earlier?.idempotency?.header === header && !isJudged && !hasOtherContent(earlier, intent);
  const same = isSame ? earlier.idempotency : undefined;
  // The hours count from the first attempt that may have succeeded.
  const until = rememberedHours && (isOpen ? same?.until : timeIn(rememberedHours * 3_600));
  return { header, key: same?.key ?? newKey, ...(until && { until }) };
}

/** Whether the last attempt that may have succeeded had other content. */
export const hasOtherContent = (earlier: LedgerEntry, intent: LedgerEntry['intent']): boolean =>
  earlier.intent !== undefined && !isDeepStrictEqual(earlier.intent, intent);
