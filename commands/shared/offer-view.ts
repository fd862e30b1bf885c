import { plain } from './text.ts';

/** Members of an offer or a credit option: their paths, such as `bank.name`, and their values. */
export type Members = [path: string, value: unknown][];

/**
 * An offer as it is displayed: in the table of `offers`, in questions and in the console. The specification (2.2) names only `offerId`,
 * `status`, `creditOptions` and `code`; all others are `members`. The service may send anything.
 */
export interface OfferView {
  offerId: string;
  status: string;
  members: Members;
  options: { code: string; members: Members }[];
}

/** Deeper members are shown as JSON. */
const DEEPEST = 3;

export function offerView(offer: unknown): OfferView {
  const { offerId, status, creditOptions = [], ...others } = isObject(offer) ? offer : {};
  const isList = Array.isArray(creditOptions);
  const options: unknown[] = isList ? creditOptions : [];
  return {
    offerId: String(offerId ?? ''),
    status: String(status ?? ''),
    members: membersOf(isList ? others : { ...others, creditOptions }),
    options: options
      .filter(isObject)
      .map(({ code, ...terms }) => ({ code: String(code ?? ''), members: membersOf(terms) })),
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function membersOf(members: Record<string, unknown>, prefix = '', depth = 1): Members {
  return Object.entries(members).flatMap(([name, value]): Members => {
    const path = plain(`${prefix}${name}`);
    return isObject(value) && depth < DEEPEST ? membersOf(value, `${path}.`, depth + 1) : [[path, value]];
  });
}

/** Members in a sentence: `bankName First Bank, rate 19.5`. */
export function membersText(members: Members): string {
  return members.map(([path, value]) => `${path} ${valueText(value)}`).join(', ');
}

/** Digits are grouped only from five digits on, so years and terms are not. */
const GROUPED = { useGrouping: 'min2', maximumFractionDigits: 20 } as const;

export function valueText(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en', GROUPED);
  if (value === undefined || value === null || value === '') return '-';
  if (Array.isArray(value) && value.every((element) => typeof element !== 'object')) return plain(value.join(', '));
  return plain(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
