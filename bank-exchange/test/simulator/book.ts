import { randomUUID } from 'node:crypto';
import { ServiceError } from '@business-loan-orders/order-simulator';

/** Assumptions of the simulated exchange where the specification shows nothing. Changes take effect with the next call. */
export interface BookSettings {
  /** The scope that the exchange requires (section 5.4). */
  scope: string;
  /** The property of the answer to `GET /requests` that contains the list. Default: the answer is the list. */
  requestsMember?: string;
  /** Whether `GET /inns` lists a number until there is an offer for it, or only once. */
  taxNumbersListed: 'until-offered' | 'once';
}

const defaultSettings: BookSettings = {
  scope: 'bank-7-exchange',
  taxNumbersListed: 'until-offered',
};

/** A user's application with documents. All fields except `fileName` are assumed (specification, 4.3: not shown). */
export interface ExchangeRequest {
  requestId: string;
  fileName: string;
  /** RFC 3339. */
  creationDate: string;
  applicant: { name: string; inn: string; phone: string };
}

export type ExchangeBook = ReturnType<typeof exchangeBook>;

/** The platform's data in the bank exchange (specification, 4.3): users' requests and tax numbers, and what the bank sent, in order of arrival. */
export function exchangeBook(now: () => number) {
  const everListed = new Set<string>();
  const handedOut = new Set<string>();
  let listed: ExchangeRequest[] = [];
  let waiting: string[] = [];
  let statuses: { requestId: string; body: Record<string, unknown> }[] = [];
  let offerLists: { offers: readonly Record<string, unknown>[] }[] = [];
  const book = {
    settings: { ...defaultSettings },
    reset: (settings: Partial<BookSettings> = {}): void => {
      book.settings = { ...defaultSettings, ...settings };
      [listed, waiting, statuses, offerLists] = [[], [], [], []];
      everListed.clear();
      handedOut.clear();
    },
    /** Adds requests of users. Their personal data may appear only in the staged requests. */
    addRequests: (count: number, createdAt = now()): ExchangeRequest[] => {
      const added = Array.from({ length: count }, (_, index): ExchangeRequest => {
        const number = everListed.size + index + 1;
        return {
          requestId: randomUUID(),
          fileName: `application-${number}.zip`,
          creationDate: new Date(createdAt).toISOString(),
          applicant: { name: `Applicant Number ${number}`, inn: '500100732259', phone: '+7 900 000-00-00' },
        };
      });
      for (const { requestId } of added) everListed.add(requestId);
      listed.push(...added);
      return added;
    },
    /** Removes a request from the list. Later requests move up by one. */
    withdraw: (requestId: string): void => {
      listed = listed.filter((request) => request.requestId !== requestId);
    },
    /** The current list, in the order of its pages: oldest first. */
    requests: (): readonly ExchangeRequest[] =>
      listed.toSorted((left, right) => left.creationDate.localeCompare(right.creationDate)),
    /** A page of the requests since `from`, in milliseconds since the epoch. */
    page: ({ take, skip, from }: Record<'take' | 'skip' | 'from', number>): readonly ExchangeRequest[] =>
      book
        .requests()
        .filter(({ creationDate }) => Date.parse(creationDate) >= from)
        .slice(skip, skip + take),
    /** Records a status. Throws 404 for an unknown request. */
    takeStatus: (requestId: string, body: Record<string, unknown>): void => {
      if (!everListed.has(requestId))
        throw new ServiceError(404, 'request_not_found', `There is no request ${requestId}.`);
      statuses.push({ requestId, body });
    },
    statuses: () => statuses,
    /** Adds tax numbers for scoring. Invalid ones are listed too. */
    addTaxNumbers: (numbers: readonly string[]): void => void waiting.push(...numbers),
    handOutTaxNumbers: (): readonly string[] => {
      const numbers = waiting;
      for (const number of numbers) handedOut.add(number);
      if (book.settings.taxNumbersListed === 'once') waiting = [];
      return numbers;
    },
    /** Accepts a list of offers. Throws 400, and accepts none of them, if one is for a tax number that was never listed. */
    takeOffers: (offers: readonly Record<string, unknown>[]): void => {
      const unknown = offers.findIndex(({ inn }) => typeof inn !== 'string' || !handedOut.has(inn));
      if (unknown >= 0)
        throw new ServiceError(
          400,
          'tax_number_unknown',
          `Offer ${unknown} is for a tax number that was never listed.`,
        );
      const answered = new Set(offers.map(({ inn }) => inn));
      waiting = waiting.filter((number) => !answered.has(number));
      offerLists.push({ offers });
    },
    offers: () => offerLists,
  };
  return book;
}
