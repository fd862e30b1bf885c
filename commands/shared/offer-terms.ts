import { timeOf } from '../../core/order/due.ts';
import { valueAt } from '../../core/order/labels.ts';
import type { Offer } from '../../core/order-service/order-service-client.ts';
import type { Stage } from '../../infra/stages.ts';
import { isObject, type OfferView, offerView } from './offer-view.ts';
import { takeableOffers } from './takeable-offers.ts';
import { plain } from './text.ts';

export type OfferLabels = Stage['offerLabels'];

/** What the stage's `offerLabels` name of a credit option. Terms that the bank does not state are absent. */
export interface Terms {
  bank?: string;
  currency?: string;
  amount?: number;
  term?: number;
  /** Percent a year. */
  rate?: number;
  payment?: number;
  expiresAt?: string;
  /** Calculated: all payments together. */
  total?: number;
  /** How many payments `total` counts. */
  payments?: number;
}

/** The units that the stage names, for all offers. */
export const unitsOf = ({ term, payment }: OfferLabels) => ({ term: term?.unit, payment: payment?.every });

export type NamedTerm = Exclude<keyof Terms, 'total' | 'payments'>;

const pointerOf = (label: OfferLabels[NamedTerm]) => (typeof label === 'object' ? label.at : label);
const namesIn = (labels: OfferLabels) => Object.keys(labels) as NamedTerm[];

/** The members that the labels name, by the path that `offerView` gives them. */
export const namedPaths = (labels: OfferLabels): Record<string, NamedTerm> =>
  Object.fromEntries(
    namesIn(labels).map((name) => [plain((pointerOf(labels[name]) ?? '').slice(1).replaceAll('/', '.')), name]),
  );

/** The offers with the terms that the stage names, and with all other members as the bank wrote them. */
export function namedOffers(offers: Offer[], labels: OfferLabels) {
  const takeable = new Set(takeableOffers(offers).map(({ offerId }) => offerId));
  const paths = namedPaths(labels);
  return offers.filter(isObject).map((offer) => {
    const view = offerView(offer);
    const options = (Array.isArray(offer.creditOptions) ? offer.creditOptions : []).filter(isObject);
    const terms = termsOf({}, offer, labels);
    /** A value that cannot be read as its term stays as the bank wrote it. */
    const others = (members: OfferView['members'], known: Terms) =>
      members.filter(([path]) => !Object.hasOwn(paths, path) || known[paths[path] as NamedTerm] === undefined);
    return {
      ...view,
      terms,
      members: others(view.members, terms),
      options: view.options.map((option, at) => {
        const own = termsOf(options[at], offer, labels);
        return { ...option, terms: own, members: others(option.members, own) };
      }),
      isTakeable: takeable.has(view.offerId),
    };
  });
}

function termsOf(option: unknown, offer: unknown, labels: OfferLabels): Terms {
  const terms = Object.fromEntries(
    namesIn(labels).flatMap((name) => {
      const pointer = pointerOf(labels[name]) ?? '';
      const value = valueAt(option, pointer) ?? valueAt(offer, pointer);
      const known = (READ[name as keyof typeof READ] ?? numberOf)(value);
      return known === undefined ? [] : [[name, known]];
    }),
  ) as Terms;
  if (terms.rate !== undefined && labels.rate?.unit === 'fraction') terms.rate = rounded(terms.rate * 100);
  const { payment, term } = terms;
  const payments = term === undefined ? undefined : paymentsIn(term, labels);
  if (payment !== undefined && payments !== undefined)
    Object.assign(terms, { payments, total: rounded(payment * payments) });
  return terms;
}

/** Undefined for a value that is not such a term. */
const READ = {
  bank: (value: unknown) => (typeof value === 'string' ? plain(value) || undefined : undefined),
  currency: (value: unknown) => (/^[a-z]{3}$/i.test(String(value)) ? String(value).toUpperCase() : undefined),
  expiresAt: (value: unknown) => (Number.isNaN(timeOf(value)) ? undefined : String(value)),
};
const numberOf = (value: unknown) =>
  /^(number|string)$/.test(typeof value) && /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) : undefined;
/** Sums of decimal numbers are not exact in binary. */
const rounded = (value: number) => Number(value.toFixed(6));

const IN_MONTHS = { months: 1, years: 12, month: 1, quarter: 3, year: 12 } as const;

/** How many payments a term has, if the stage names both in units of which one is a whole number of the other. */
function paymentsIn(value: number, { term, payment }: OfferLabels): number | undefined {
  const [unit, every] = [term?.unit ?? '', payment?.every ?? ''];
  const isWeekly = unit === 'weeks' && every === 'week';
  const inMonths = (name: string) => IN_MONTHS[name as keyof typeof IN_MONTHS] ?? Number.NaN;
  const count = isWeekly ? value : (value * inMonths(unit)) / inMonths(every);
  return Number.isInteger(count) && count > 0 ? count : undefined;
}
