import { valueAt } from '../../core/order/labels.ts';

/** Milliseconds in which a second order of the same company and sum may be the same loan. */
const ALIKE_WITHIN = 14 * 86_400_000;
/** Milliseconds by which two reads overlap: the index lags, and clocks differ. */
const OVERLAP = 60_000;
const READ_EVERY = 1_000;

/** What tells that two orders may be one loan. The labels are personal data. */
export interface KnownLoan {
  orderRef: string;
  createdAt?: string | undefined;
  labels?: Partial<Record<'company' | 'amount', unknown>> | undefined;
}

type LoansSource = Record<'loansSince', (since: string) => AsyncIterable<KnownLoan>>;

export const LOAN_FACTS = ['orderRef', 'createdAt', 'labels.company', 'labels.amount'];

/** The company and the sum of an order.json that was checked, as the stage's labels name them; undefined without both. */
export function loanIn(orderJson: Uint8Array, { company = '/', amount = '/' }: Readonly<Record<string, string>>) {
  const { order } = JSON.parse(new TextDecoder().decode(orderJson)) as { order: unknown };
  const loan = { company: valueAt(order, company), amount: valueAt(order, amount) };
  return Object.values(loan).every((value) => value !== '' && /string|number/.test(typeof value)) ? loan : undefined;
}

export type Loan = ReturnType<typeof loanIn>;

/** The orders of two weeks, to find those that may be the same loan. */
export class RecentLoans {
  readonly #known = new Map<string, KnownLoan>();
  #readAt = 0;
  #reading: Promise<void> | undefined;

  add(order: KnownLoan): void {
    this.#known.set(order.orderRef, order);
  }

  /** Reads two weeks, and later what changed since, at most once a second. */
  async read(record: LoansSource): Promise<void> {
    if (Date.now() - this.#readAt < READ_EVERY) return;
    this.#reading ??= this.#readOnce(record).finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #readOnce(record: LoansSource): Promise<void> {
    const now = Date.now();
    const oldest = now - ALIKE_WITHIN;
    const since = new Date(Math.max(oldest, this.#readAt - OVERLAP)).toISOString();
    for await (const order of record.loansSince(since)) this.add(order);
    for (const [orderRef, { createdAt = '' }] of this.#known)
      if (!(Date.parse(createdAt) > oldest)) this.#known.delete(orderRef);
    this.#readAt = now;
  }

  /** The references of the orders of this company and sum. */
  alike(loan: Loan): string[] {
    const isAlike = ({ labels: { company, amount } = {} }: KnownLoan) =>
      company === loan?.company && amount === loan?.amount;
    return loan ? [...this.#known.values()].filter(isAlike).map(({ orderRef }) => orderRef) : [];
  }
}
