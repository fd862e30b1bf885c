/** A credit option. All fields except `code` are assumed (specification, 2.2: not shown). */
export interface CreditOption {
  code: string;
  /** Roubles. */
  amount: number;
  termMonths: number;
  /** Percent per year. */
  rate: number;
  /** Roubles. */
  monthlyPayment?: number;
}

export interface OfferTemplate {
  bankName: string;
  /** `AVAILABLE` can be confirmed. All other values are assumed (specification, 2.2: not shown). */
  status: string;
  creditOptions: readonly CreditOption[];
}

export interface Offer extends OfferTemplate {
  currency: string;
  offerId: string;
}

export const defaultOffers: readonly OfferTemplate[] = [
  {
    bankName: 'First Bank',
    status: 'AVAILABLE',
    creditOptions: [
      { code: 'FIRST-12', amount: 3_000_000, termMonths: 12, rate: 19.5, monthlyPayment: 277_186 },
      { code: 'FIRST-24', amount: 5_000_000, termMonths: 24, rate: 21.9, monthlyPayment: 259_144 },
    ],
  },
  { bankName: 'Second Bank', status: 'REFUSED', creditOptions: [] },
  {
    bankName: 'Third Bank',
    status: 'AVAILABLE',
    creditOptions: [
      { code: 'THIRD-36', amount: 4_500_000, termMonths: 36, rate: 18.7, monthlyPayment: 164_270 },
      { code: 'THIRD-60', amount: 7_000_000, termMonths: 60, rate: 20.1, monthlyPayment: 185_847 },
    ],
  },
  {
    bankName: 'Fourth Bank',
    status: 'AVAILABLE',
    creditOptions: [{ code: 'FOURTH-18', amount: 2_500_000, termMonths: 18, rate: 17.9, monthlyPayment: 159_395 }],
  },
  {
    bankName: 'Fifth Bank',
    status: 'EXPIRED',
    creditOptions: [{ code: 'FIFTH-12', amount: 1_000_000, termMonths: 12, rate: 16.4, monthlyPayment: 90_920 }],
  },
];

/** The banks' offers for an order. If `approved` is false, offers that would be `AVAILABLE` are `REFUSED`. */
export function makeOffers(templates: readonly OfferTemplate[], approved: boolean, newOfferId: () => string): Offer[] {
  return templates.map((template) => ({
    offerId: newOfferId(),
    ...template,
    status: template.status === 'AVAILABLE' && !approved ? 'REFUSED' : template.status,
    creditOptions: [...template.creditOptions],
    currency: 'RUB',
  }));
}
