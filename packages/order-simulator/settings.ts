import type { DocumentTemplate } from './documents.ts';
import type { OfferTemplate } from './offers.ts';
import { defaultOffers } from './offers.ts';
import type { OrderStatus, Outcome } from './order-machine.ts';

/** The service's names for fields whose names the specification does not show. */
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
 * What the simulator assumes where the specification shows nothing. A test may change the settings of a running simulator: they
 * take effect with the next call. An order keeps the durations that it was created with.
 */
export interface SimulatorSettings {
  /** In every answer to a read of an order, in seconds. */
  pollAfterSeconds: number;
  /** The statuses that follow each IN_WORK of an order on the main path, in order. */
  outcomes: readonly Outcome[];
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
  /** The scopes that a token may have. Default: any. */
  allowedScopes?: readonly string[];
  /** The scope of a token whose request names none. */
  defaultScope: string;
  /** Whether a token request without a scope is refused. */
  scopeRequired: boolean;
  /** How late each answer comes while the fault `slow` is switched on, in seconds. */
  slowAnswerSeconds: number;
  /** Content type of the creation and confirm bodies. The bodies are always JSON. Read when the simulator starts. */
  orderContentType: string;
  /** How many documents are generated for each round of signing. */
  documentsToSign: number;
  /** Replaces the generated PDFs of each round. */
  documentTemplates?: readonly DocumentTemplate[];
  /** The banks' offers for an order with approved offers. */
  offers: readonly OfferTemplate[];
  /** Names that the specification does not show. */
  names: SimulatorNames;
  /** Whether identifiers are UUIDs, or JSON numbers that are too large for a double. */
  identifiers: 'texts' | 'numbers';
  /** Whether `pollAfterSeconds` is a JSON number or a text. */
  seconds: 'number' | 'text';
  /** Other names for statuses, in answers to reads. */
  otherStatuses: Partial<Record<OrderStatus, string>>;
  /** The status of a confirmed offer. */
  confirmedStatus: string;
  /** Whether an accept must have a JSON object as its body. */
  acceptBody: 'any' | 'object';
  /** How clients may authenticate at `/oauth2/token` (RFC 6749, 2.3.1). */
  tokenAuthentication: 'any' | 'basic';
  /** Body of the answers to document upload, accept and confirm, which the specification does not show. */
  unstatedBodies: 'empty' | 'json';
  /** An uploaded document of up to this many bytes is kept in memory. Of a larger one only size and SHA-256 are kept. */
  keptFileBytes: number;
  /** A larger signature is refused. Bytes. */
  largestSignatureBytes: number;
  /** A larger JSON or form body is refused. Bytes. Read when the simulator starts. */
  largestBodyBytes: number;
}

export const defaultSettings: SimulatorSettings = {
  pollAfterSeconds: 2,
  outcomes: ['WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE', 'OFFERS_AVAILABLE'],
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
  slowAnswerSeconds: 20,
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
