import { bounded } from '../bounded.ts';
import { numberText, parseLossless } from '../json/lossless-json.ts';
import type { Offer } from '../order-service/order-service-client.ts';
import type { Choice } from '../package/kept-decision.ts';

/** What people recognise an order by, by name: what the stage's `labels` name in its package, and `bank`. Personal data. */
export type Labels = Record<string, string | number>;

/** Characters of a label. */
const LONGEST = 200;
/** A number of JavaScript has so many decimal digits exactly. */
const EXACT_DIGITS = 15;

/** The value at a JSON Pointer (RFC 6901); undefined if there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  let found = value;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    // Neither inherited members nor the length of an array.
    if (found === null || typeof found !== 'object' || !Object.prototype.propertyIsEnumerable.call(found, name))
      return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

/** The labels of an `order.json` that was checked. Only texts and numbers become labels. */
export function labelsOf(orderJson: Uint8Array, pointers: Readonly<Record<string, string>>): Labels {
  const { order } = parseLossless(new TextDecoder().decode(orderJson)) as { order: unknown };
  const labels = Object.entries(pointers).map(([name, pointer]) => [name, labelOf(valueAt(order, pointer))] as const);
  return Object.fromEntries(labels.flatMap(([name, label]) => (label === undefined ? [] : [[name, label]])));
}

function labelOf(value: unknown): string | number | undefined {
  const text = numberText(value) ?? value;
  if (typeof text !== 'string' || text === '') return undefined;
  // DynamoDB has no larger exponents.
  const [, digits = ''] = /^-?([\d.]+)(e[-+]?\d{1,2})?$/i.exec(text) ?? [];
  const isExact = text !== value && digits !== '' && digits.replace('.', '').length <= EXACT_DIGITS;
  return isExact ? Number(text) : shortened(text);
}

const shortened = (text: string) => bounded(text.toWellFormed(), LONGEST);

/** The sum that is asked for; its currency has three letters, or is empty. Undefined for a text, which may mean anything. */
export function sumIn({ amount, currency = '' }: Labels): { amount: number; currency: string } | undefined {
  const isCode = /^([a-z]{3})?$/i.test(String(currency));
  return typeof amount === 'number' && isCode ? { amount, currency: String(currency).toUpperCase() } : undefined;
}

/** What a pointer names in an offer: in each credit option, or in the one with this code, else in the offer itself. */
export function valuesIn(offer: Offer, pointer: string, code?: string): unknown[] {
  const options = Array.isArray(offer.creditOptions) ? offer.creditOptions : [];
  const meant = options.filter((option) => code === undefined || option?.code === code);
  return (meant.length > 0 ? meant : [offer]).map((one) => valueAt(one, pointer) ?? valueAt(offer, pointer));
}

export const availableIn = (offers: readonly Offer[]) => offers.filter((offer) => offer?.status === 'AVAILABLE');

/** No comma, which names have. */
export const BETWEEN_BANKS = '; ';

/** The names of the banks of the choices, or of the AVAILABLE offers if nothing is chosen; empty if there are none. */
export function banksOf(offers: readonly Offer[], choices: readonly Choice[], pointer: string): string {
  const chosen = choices.flatMap(({ offerId, code }) =>
    offers.flatMap((offer) => (offer?.offerId === offerId ? valuesIn(offer, pointer, code) : [])),
  );
  const found = choices.length > 0 ? chosen : availableIn(offers).flatMap((offer) => valuesIn(offer, pointer));
  const names = found.filter((name) => typeof name === 'string' && name !== '');
  const all = [...new Set(names)].map((name) => shortened(String(name)));
  return all.filter((_, at) => all.slice(0, at + 1).join(BETWEEN_BANKS).length <= LONGEST).join(BETWEEN_BANKS);
}
