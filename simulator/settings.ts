import type { DocumentTemplate } from './documents.ts';
import type { OfferTemplate } from './offers.ts';
import { defaultOffers } from './offers.ts';
import type { OrderStatus } from './order-machine.ts';

/** What a service may call things whose names the specification does not show. */
export interface SimulatorNames {
  /** In the answer to a creation, and in a read. */
  orderId: string;
  /** In the answer to a signature's upload. */
  signatureId: string;
  /** In an offer. */
  offerStatus: string;
  /** In the body of a confirm. */
  confirmOfferId: string;
  confirmCode: string;
}

/**
 * What the simulator assumes where the specification is silent. A running simulator reads its settings anew for every
 * call, so a test may change them; an order keeps the durations it was created with.
 */
export interface SimulatorSettings {
  /** Served on every read of an order, in seconds. */
  pollAfterSeconds: number;
  /** How long an order is IN_WORK each time, in seconds. */
  processingSeconds: number;
  /** The same for scenario `slow-processing`. */
  slowProcessingSeconds: number;
  /** From the last confirm (OFFERS_APPROVED) to CLOSED, in seconds. */
  bankSeconds: number;
  /** From OFFERS_AVAILABLE to CLOSED when no offer of the order can be confirmed, in seconds. */
  closeWithoutConfirmationSeconds: number;
  /** How long a token is accepted, in seconds. */
  tokenLifetimeSeconds: number;
  /** Unit of `expires_in`; `absent` leaves the field out. */
  expiresInUnit: 'seconds' | 'milliseconds' | 'absent';
  clientId: string;
  clientSecret: string;
  /** Scopes a token may be asked for; without a list every scope is granted. */
  allowedScopes?: readonly string[];
  /** Granted when the request names none. */
  defaultScope: string;
  /** Whether a token request that names no scope is refused. */
  scopeRequired: boolean;
  /** The partner's own scope, without which the legacy operations are refused (section 5.4); absent, any token will do. */
  legacyScope?: string;
  /** In which order `GET /requests` lists, by the time of creation. */
  legacyRequestOrder: 'oldest-first' | 'newest-first';
  /** Member of an object that `GET /requests` answers its list in; without one the list stands by itself. */
  legacyRequestsMember?: string;
  /** Largest `take`, and the one that holds where none is sent. */
  legacyMostTake: number;
  /** Whether `GET /inns` lists a number until there is an offer for it, or in one answer only. */
  legacyTaxNumbersListed: 'until-offered' | 'once';
  /** Content type of the creation and confirm bodies, which are JSON whatever it says. Read when the simulator starts. */
  orderContentType: string;
  /** How many documents are generated for each round of signing. */
  documentsToSign: number;
  /** What is generated in place of that many PDFs, in each round. */
  documentTemplates?: readonly DocumentTemplate[];
  /** Bank offers of an order in which some are approved. */
  offers: readonly OfferTemplate[];
  /** Names that the specification does not show. */
  names: SimulatorNames;
  /** Whether identifiers are UUIDs, or JSON numbers too large for a double. */
  identifiers: 'texts' | 'numbers';
  /** Whether `pollAfterSeconds` is a JSON number or a text. */
  seconds: 'number' | 'text';
  /** Other words for states, in answers to reads. */
  otherStatuses: Partial<Record<OrderStatus, string>>;
  /** Status of an offer that is confirmed. */
  confirmedStatus: string;
  /** Whether an accept has to carry a JSON object. */
  acceptBody: 'any' | 'object';
  /** How clients may name themselves at `/oauth2/token` (RFC 6749, 2.3.1). */
  tokenAuthentication: 'any' | 'basic';
  /** Body of the answers to document upload, accept and confirm, which the specification does not show. */
  unstatedBodies: 'empty' | 'json';
  /** Bytes of an uploaded document kept in memory; of a larger one only size and SHA-256 are kept. */
  keptFileBytes: number;
  /** A signature larger than this many bytes is refused. */
  largestSignatureBytes: number;
  /** A JSON or form body larger than this many bytes is refused. Read when the simulator starts. */
  largestBodyBytes: number;
}

export const defaultSettings: SimulatorSettings = {
  pollAfterSeconds: 2,
  processingSeconds: 3,
  slowProcessingSeconds: 60,
  bankSeconds: 5,
  closeWithoutConfirmationSeconds: 10,
  tokenLifetimeSeconds: 3600,
  expiresInUnit: 'seconds',
  clientId: 'partner',
  clientSecret: 'simulated-secret',
  defaultScope: 'orders',
  scopeRequired: false,
  legacyScope: 'bank-7-exchange',
  legacyRequestOrder: 'oldest-first',
  legacyMostTake: 100,
  legacyTaxNumbersListed: 'until-offered',
  orderContentType: 'application/json',
  documentsToSign: 2,
  offers: defaultOffers,
  names: {
    orderId: 'orderId',
    signatureId: 'signatureId',
    offerStatus: 'status',
    confirmOfferId: 'offerId',
    confirmCode: 'code',
  },
  identifiers: 'texts',
  seconds: 'number',
  otherStatuses: {},
  confirmedStatus: 'CONFIRMED',
  acceptBody: 'any',
  tokenAuthentication: 'any',
  unstatedBodies: 'empty',
  keptFileBytes: 1024 * 1024,
  largestSignatureBytes: 1024 * 1024,
  largestBodyBytes: 10 * 1024 * 1024,
};
