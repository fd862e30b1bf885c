import type { Offer } from '../order-service/order-service-client.ts';
import type { deadlineSettings } from '../settings.ts';
import { availableIn, valuesIn } from './labels.ts';
import type { Awaited } from './order-item.ts';

export type Asked = Pick<Awaited, 'what' | 'since'>;
export type Offers = readonly Offer[] | undefined;
type Deadlines = typeof deadlineSettings;

const MILLISECONDS_PER_DAY = 86_400_000;

/** When the stage stops waiting, in milliseconds since the epoch. */
export const deadlineOf = ({ what, since }: Asked, { decisionDays, signaturesDays }: Deadlines): number =>
  Date.parse(since) + (what === 'decision' ? decisionDays : signaturesDays) * MILLISECONDS_PER_DAY;

/**
 * When people must have answered: at the stage's deadline, or when the first offer that can be taken expires. An offer that had expired when
 * they were asked, but is still AVAILABLE, has another time than it says.
 */
export function dueOf(asked: Asked, offers: Offers, deadlines: Deadlines): string {
  const since = Date.parse(asked.since);
  let due = deadlineOf(asked, deadlines);
  for (const expiry of asked.what === 'decision' ? expiriesIn(offers ?? [], deadlines.expiresAt) : [])
    if (expiry > since && expiry < due) due = expiry;
  return new Date(due).toISOString();
}

/** A date, or a time with its zone (ISO 8601). */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:\d\d))?$/;

/** In milliseconds since the epoch; NaN for anything else, also for a day that its month does not have. */
export function timeOf(value: unknown): number {
  const [day = ''] = typeof value === 'string' && TIME.test(value) ? value.split('T') : [];
  const known = Date.parse(day);
  return new Date(known || 0).toISOString().startsWith(day) ? known && Date.parse(String(value)) : Number.NaN;
}

const expiriesIn = (offers: readonly Offer[], pointer: string | undefined): number[] =>
  availableIn(pointer === undefined ? [] : offers)
    .flatMap((offer) => valuesIn(offer, pointer ?? ''))
    .map(timeOf);

/** When a quarter of the time is left, in milliseconds since the epoch: then people are reminded. */
export const reminderAt = (since: string, due: string): number =>
  Date.parse(due) - (Date.parse(due) - Date.parse(since)) / 4;
