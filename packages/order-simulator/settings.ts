import type { DocumentTemplate } from './documents.ts';
import { defaultOffers } from './offers.ts';
import type { OrderStatus, Outcome } from './order-machine.ts';

/** The default settings. They also define the types. */
export const defaultSettings = {
  /** The field of the same name in every read of an order, in seconds. */
  pollAfterSeconds: 2,
  /** The statuses that follow each IN_WORK of an order on the main path, in order. */
  outcomes: ['WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE', 'OFFERS_AVAILABLE'] as readonly Outcome[],
  /** How long an order is IN_WORK each time, in seconds. */
  processingSeconds: 3,
  /** The same for the scenario `slow-processing`. */
  slowProcessingSeconds: 60,
  /** From the last confirm (OFFERS_APPROVED) to CLOSED, in seconds. */
  bankSeconds: 5,
  /** From OFFERS_AVAILABLE to CLOSED when no offer of the order can be confirmed, in seconds. */
  closeWithoutConfirmationSeconds: 10,
  /** How long a token is accepted, in seconds. */
  tokenLifetimeSeconds: 3600,
  /** Unit of `expires_in`; `absent` leaves the field out. */
  expiresInUnit: 'seconds' as 'seconds' | 'milliseconds' | 'absent',
  clientId: 'partner',
  clientSecret: 'simulated-secret',
  /** Whether a token request without a scope is refused. */
  scopeRequired: false,
  /** Delay of each answer while the fault `slow` is switched on, in seconds. */
  slowAnswerSeconds: 20,
  /** Content type of the creation and confirm bodies. The bodies are always JSON. Read when the simulator starts. */
  orderContentType: 'application/json',
  documentsToSign: 2,
  offers: defaultOffers,
  /** Names of fields that the specification does not show. */
  names: {
    /** In the answers to a creation and a read. */
    orderId: 'orderId',
    /** In the answer to the upload of a signature. */
    signatureId: 'signatureId',
    offerStatus: 'status',
    /** In the body of a confirm, like `confirmCode`. */
    confirmOfferId: 'offerId',
    confirmCode: 'code',
  },
  /** Whether identifiers are UUIDs, or JSON numbers that are too large for a double. */
  identifiers: 'texts' as 'texts' | 'numbers',
  /** Whether `pollAfterSeconds` is a JSON number or a string. */
  seconds: 'number' as 'number' | 'text',
  /** Names that replace statuses in answers to reads. */
  otherStatuses: {} as Partial<Record<OrderStatus, string>>,
  confirmedStatus: 'CONFIRMED',
  /** Whether an accept must have a JSON object as its body. */
  acceptBody: 'any' as 'any' | 'object',
  /** How clients may authenticate at `/oauth2/token` (RFC 6749, 2.3.1). */
  tokenAuthentication: 'any' as 'any' | 'basic',
  /** Whether the answers to document upload, accept and confirm have a body. The specification does not show it. */
  unstatedBodies: 'empty' as 'empty' | 'json',
  /** Uploaded documents of up to this many bytes stay in memory. For larger ones, only size and SHA-256 are recorded. */
  keptFileBytes: 1024 * 1024,
  largestSignatureBytes: 4 * 1024 * 1024,
};

/**
 * Many are assumptions where the specification shows nothing. A change while the simulator runs takes effect with the next call, except where
 * a setting says otherwise. An order keeps the durations that it was created with.
 */
export type SimulatorSettings = typeof defaultSettings & {
  /** The scopes that a token may have. Default: any. */
  allowedScopes?: readonly string[];
  /** Replaces the generated PDFs of each round. */
  documentTemplates?: readonly DocumentTemplate[];
};
