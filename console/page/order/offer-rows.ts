import type { OfferFacts, ShownOffers } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { wordsFor } from '../messages/said.ts';
import { exactTime, form, formatNumber, money } from '../parts/format.ts';

/** A credit option of an offer, with all that the bank says of both. */
export type OfferRow = OfferFacts['options'][number] & { offer: OfferFacts };

export interface Column {
  key: string;
  head: string;
  value(row: OfferRow): unknown;
  text(row: OfferRow): string;
  /** Which value is the best one. */
  best?: 'least' | 'most' | undefined;
}

/** By the column of this key. */
type Sort = { key: string; isDown: boolean };
type Units = ShownOffers['units'];

/** The terms in the order of their columns. */
const TERMS = ['amount', 'term', 'rate', 'payment', 'total', 'expiresAt'] as const;
type Term = (typeof TERMS)[number];
const BEST: Partial<Record<Term, Column['best']>> = { amount: 'most', rate: 'least', payment: 'least', total: 'least' };
/** More columns, or longer values, do not fit. */
const [MOST_OTHERS, LONGEST_CELL] = [5, 30];

export const rowsOf = (offers: readonly OfferFacts[]): OfferRow[] =>
  offers.flatMap((offer) =>
    offer.options.map((option) => ({ ...option, offer, members: [...offer.members, ...option.members] })),
  );

/** The bank's name, or else the offer's own. */
export const titleOf = ({ terms, offerId }: Pick<OfferFacts, 'terms' | 'offerId'>): string => terms.bank ?? offerId;

/** A column for each term that the stage names and some bank states, then for what the banks call by names of their own. */
export function columnsOf(rows: readonly OfferRow[], units: Units): Column[] {
  const named = TERMS.filter((name) => rows.some(({ terms }) => terms[name] !== undefined));
  const others = rows.flatMap(({ members }) => members);
  const isLong = (path: string) =>
    others.some(([one, value]) => one === path && valueText(value).length > LONGEST_CELL);
  const paths = [...new Set(others.map(([path]) => path))].filter((path) => !isLong(path)).slice(0, MOST_OTHERS);
  return [
    ...named.map((name) => ({
      key: name,
      head: termName(name, units),
      value: ({ terms }: OfferRow) => terms[name],
      text: ({ terms }: OfferRow) => termText(name, terms, units),
      best: BEST[name],
    })),
    ...paths.map((path) => {
      const value = ({ members }: OfferRow) => members.find(([one]) => one === path)?.[1];
      return { key: `/${path}`, head: path, value, text: (row: OfferRow) => valueText(value(row)) };
    }),
  ];
}

function termName(name: Term, { payment }: Units): string {
  const words = messages.value.offers;
  return name === 'payment' && payment ? `${words.terms.payment} ${words.every[payment]}` : words.terms[name];
}

function termText(name: Term, terms: OfferRow['terms'], { term }: Units): string {
  const value = terms[name];
  if (value === undefined) return '–';
  if (typeof value === 'string') return exactTime(value);
  if (name === 'term' && term) return form(value, messages.value.offers.units[term]);
  return name === 'rate' ? `${formatNumber(value)} %` : money(value, terms.currency);
}

/** What is named of a credit option, in a list. A calculated value has its formula. */
export function namedFacts({ terms }: OfferRow, units: Units): [string, string][] {
  return TERMS.filter((name) => terms[name] !== undefined).map((name) => {
    const { payments, payment = 0 } = terms;
    const formula = name === 'total' ? ` (${payments} × ${money(payment, terms.currency)})` : '';
    return [termName(name, units), termText(name, terms, units) + formula];
  });
}

/** Whether no other offer that can be taken has a better value, if all state it: payments of one sum and term, sums in one currency. */
export function isBest({ value, best, key }: Column, row: OfferRow, rows: readonly OfferRow[]): boolean {
  const takeable = rows.filter(({ offer }) => offer.isTakeable);
  const isPayment = key === 'payment' || key === 'total';
  const isAlike = ({ terms: { amount, term } }: OfferRow) => amount === row.terms.amount && term === row.terms.term;
  const isUnknown = (one: OfferRow) =>
    typeof value(one) !== 'number' || (isPayment && (one.terms.amount === undefined || one.terms.term === undefined));
  const isMixed = key !== 'rate' && new Set(takeable.map(({ terms }) => terms.currency)).size > 1;
  if (!best || !takeable.includes(row) || takeable.some(isUnknown) || isMixed) return false;
  const values = (isPayment ? takeable.filter(isAlike) : takeable).map((one) => Number(value(one)));
  return new Set(values).size > 1 && value(row) === Math[best === 'least' ? 'min' : 'max'](...values);
}

/** Numbers by size, others as texts. Rows without a value come last in both directions. */
export function sortedBy(rows: readonly OfferRow[], columns: readonly Column[], { key, isDown }: Sort): OfferRow[] {
  const value = columns.find((column) => column.key === key)?.value;
  if (!value) return [...rows];
  const compare = (one: unknown, other: unknown) =>
    typeof one === 'number' && typeof other === 'number' ? one - other : String(one).localeCompare(String(other));
  return rows.toSorted((one, other) => {
    const [here, there] = [value(one), value(other)];
    if (here === undefined || there === undefined) return Number(here === undefined) - Number(there === undefined);
    return compare(here, there) * (isDown ? -1 : 1);
  });
}

/** The act in words, with the sum if all banks state theirs in one currency. */
export function takeWords(rows: readonly OfferRow[]): string {
  const words = messages.value.offers;
  const [currency, ...others] = new Set(rows.map(({ terms }) => terms.currency));
  const sum = rows.reduce((all, { terms }) => all + (terms.amount ?? Number.NaN), 0);
  if (others.length > 0 || Number.isNaN(sum)) return words.take(form(rows.length, words.offers));
  const banks = form(new Set(rows.map(({ offer }) => titleOf(offer))).size, words.banks);
  return words.borrow(money(sum, currency), banks);
}

/** A value as the bank wrote it, with the digits of numbers grouped. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'boolean') return value ? messages.value.yes : messages.value.no;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export const memberText = ([path, value]: [string, unknown]): [string, string] => [path, valueText(value)];

export const offerStatus = (status: string) => wordsFor(messages.value.offers.statuses, status);
