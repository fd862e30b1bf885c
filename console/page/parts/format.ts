import { computed } from '@preact/signals';
import { language } from '../messages/language.ts';

const LOCALES = { en: 'en-GB', ru: 'ru-RU' };

const locale = computed(() => LOCALES[language.value]);
const exact = computed(() => new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium', timeStyle: 'medium' }));
const relative = computed(() => new Intl.RelativeTimeFormat(locale.value, { numeric: 'auto', style: 'short' }));
const plain = computed(() => new Intl.NumberFormat(locale.value, { maximumFractionDigits: 6 }));

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** A moment seen from now: `3 hr ago`, `in 5 min`. */
export function ago(iso: string, now: number): string {
  const distance = Date.parse(iso) - now;
  const [unit, length] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? (['second', 1_000] as const);
  return relative.value.format(Math.trunc(distance / length), unit);
}

/** A moment to the second, in the browser's own time zone. */
export function exactTime(iso: string): string {
  return exact.value.format(new Date(iso));
}

export function number(value: number): string {
  return plain.value.format(value);
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A size in steps of 1,000. */
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

/** A time span in its two largest units: `3 d 4 h`. */
export function span(milliseconds: number): string {
  const first = UNITS.findIndex(([, length]) => milliseconds >= length);
  if (first === -1) return unit(0, 'second');
  const parts: string[] = [];
  let left = milliseconds;
  for (const [name, length] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) parts.push(unit(count, name));
  }
  return parts.join(' ');
}

function unit(count: number, name: string): string {
  return new Intl.NumberFormat(locale.value, { style: 'unit', unit: name, unitDisplay: 'narrow' }).format(count);
}

/** The form of a noun that goes with a count. English has two, Russian three. */
export function form(count: number, forms: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }): string {
  return `${number(count)} ${forms[new Intl.PluralRules(locale.value).select(count)] ?? forms.other}`;
}
