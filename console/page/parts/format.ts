import { computed } from '@preact/signals';
import type { OrderFacts, OrderRow } from '../../api.ts';
import { language, messages } from '../messages/language.ts';
import { wordsFor } from '../messages/said.ts';

const locale = computed(() => ({ en: 'en-GB', ru: 'ru-RU' })[language.value]);
const exact = computed(() => new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium', timeStyle: 'long' }));
/** A date, with its year unless it is this one. */
const day = computed(() => {
  const ofYear = new Intl.DateTimeFormat(locale.value, { day: 'numeric', month: 'short' });
  const ofAny = new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium' });
  return (date: Date, now: Date) => (date.getFullYear() === now.getFullYear() ? ofYear : ofAny).format(date);
});
const relative = computed(() => new Intl.RelativeTimeFormat(locale.value, { numeric: 'auto', style: 'short' }));
const plain = computed(() => new Intl.NumberFormat(locale.value, { maximumFractionDigits: 6 }));

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** Milliseconds. A time that is farther away is shown as a date. */
const NEAR = 7 * 86_400_000;

/** A time relative to now: `3 hr ago`, `in 5 min`, or else its date. */
export function ago(iso: string, now: number): string {
  const distance = Date.parse(iso) - now;
  if (Math.abs(distance) > NEAR) return day.value(new Date(iso), new Date(now));
  const [unit, length] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? (['second', 1_000] as const);
  // "Tomorrow" is a day of the calendar.
  const days = Math.round((midnight(Date.parse(iso)) - midnight(now)) / length);
  return relative.value.format(unit === 'day' ? days : Math.trunc(distance / length), unit);
}

const midnight = (time: number) => new Date(time).setHours(0, 0, 0, 0);

/** A month such as `2026-11` in words. */
export const monthName = (month: string): string =>
  new Intl.DateTimeFormat(locale.value, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(month));

/** The last three years of months such as `2026-11`, newest first. */
export function lastMonths(now: number): string[] {
  const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()];
  return Array.from({ length: 36 }, (_, back) => new Date(Date.UTC(year, month - back)).toISOString().slice(0, 7));
}

export const dayTime = (iso: string): string =>
  new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));

/** A time to the second, with the browser's time zone and its name; a date without one. */
export function exactTime(iso: string): string {
  const date = new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium', timeZone: 'UTC' });
  return (iso.includes('T') ? exact.value : date).format(new Date(iso));
}

export const formatNumber = (value: number): string => plain.value.format(value);

/** A span of time in its largest unit: `3.4 days`. */
export function span(seconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => seconds * 1000 >= size) ?? (['second', 1_000] as const);
  const style = { style: 'unit', unit, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale.value, style).format((seconds * 1000) / length);
}

/** A sum of money. A currency is three letters (ISO 4217): digits would change the sum. */
export const money = (value: number | string, currency = ''): string =>
  `${typeof value === 'number' ? formatNumber(value) : value} ${/^[a-z]{3}$/i.test(currency) ? currency : ''}`.trim();

type Labels = { [Name in 'company' | 'amount' | 'currency']?: OrderRow[Name] | undefined };

/** What people recognise an order by, or else its reference. */
export const companyOf = ({ company, orderRef }: Labels & Pick<OrderRow, 'orderRef'>): string =>
  String(company ?? '').trim() || orderRef;

/** The same with the reference: a company may have several orders. */
export const nameOf = ({ labels, orderRef }: Pick<OrderFacts, 'labels' | 'orderRef'>): string =>
  labels?.company === undefined ? orderRef : `${labels.company} ${orderRef}`;

/** The sum that is asked for, if the stage names it. */
export const sumOf = ({ amount, currency = '' }: Labels): string | undefined =>
  amount === undefined ? undefined : money(amount, String(currency));

/** A JSONPath as people count: `$.documents[0].file` is `documents 1 › file`. */
export const placeWords = (path: string): string =>
  path
    .replace(/^\$\.?/, '')
    .replaceAll(/\[(\d+)\]/g, (_, at) => ` ${Number(at) + 1}`)
    .replaceAll('.', ' › ');

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export function size(bytes: number): string {
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const style = {
    style: 'unit',
    unit: SIZES[step] as string,
    // The short form of a byte has no plural: 233 byte.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  } as const;
  return new Intl.NumberFormat(locale.value, style).format(bytes / 1000 ** step);
}

/** A count with the matching plural form of a noun: English has two forms, Russian three. */
export function form(count: number, forms: string): string {
  const all = forms.split('|');
  const at = ['one', 'few', 'many'].indexOf(new Intl.PluralRules(locale.value).select(count));
  return `${formatNumber(count)} ${all[at] ?? all[1]}`;
}

/** A status in words, or its own name if it is unknown. */
export const statusWords = (status: string): string => wordsFor(messages.value.statuses, status);

/** The colour of an order's state. A text beside it always says the same. */
export function toneOf({ status, waitingFor }: Pick<OrderRow, 'status' | 'waitingFor'>): string {
  if (waitingFor === 'operator') return 'bad';
  if (waitingFor === 'signatures' || waitingFor === 'decision') return 'people';
  if (waitingFor === 'nobody') return status === 'CLOSED' ? 'good' : 'over';
  return 'calm';
}
