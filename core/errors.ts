import { bounded } from './bounded.ts';

/** The context of a call to the service. Every call has one. */
export interface CallContext {
  /** The subject of the call in messages: `Order order-10045`. Contains no personal data. */
  subject: string;
  /** `create`, `upload-document`, `read-order`, …. Contains no file name or ID, which may be personal. */
  operation: string;
  /** 1, 2, …: the number of the attempt. Absent if the call changes nothing. */
  attempt?: number;
  /** The content of the call, if attempts may send different content. */
  intent?: Record<string, unknown> | undefined;
  /** The operation's key, the header that carries it, and until when the service certainly remembers what it did, if it promises that. */
  idempotency?: { header: string; key: string; until?: string } | undefined;
  /** The ID that we gave the call's last request, a UUID. The service's support finds the call by it. */
  requestId: string;
}

/** A token request belongs to no order: it has only an ID. */
export type RequestContext = Partial<CallContext> & Pick<CallContext, 'requestId'>;

/** Everything that is known about a failed call. The call's error contains all of it. */
export interface CallFacts extends Partial<CallContext> {
  httpStatus?: number | undefined;
  /** The service's ID of the request (`x-request-id`). Its support asks for it. */
  requestReference?: string | undefined;
  /** The service's `Retry-After` in seconds, if it sent one (RFC 9110, 10.2.3). */
  retryAfterSeconds?: number | undefined;
  /** Seconds until a token may be requested. All functions share this wait, so no order keeps it. */
  tokenWaitSeconds?: number | undefined;
  /**
   * The recorded time before which the service must not be called, if the state machine waits until then and runs the step
   * again. Absent if the step fails.
   */
  postponedUntil?: string;
  /** The beginning of the service's answer. It may contain the questionnaire. */
  excerpt?: string | undefined;
  /** The value of `pollAfterSeconds` in an answer that cannot be used otherwise. It may be of any type. */
  pollAfterSeconds?: unknown;
  unknownStatus?: string | undefined;
  /** The answer's `Location`, of a redirect or of what was created. It may contain a secret. */
  location?: string | undefined;
}

/**
 * The facts of a call that may be shown: in log lines, the ledger, the timeline, `show`, the console and evidence. The facts that are
 * left out may be personal, and go to the encrypted staging bucket only. All of these already name the subject.
 */
export const loggable = ({ subject, intent, idempotency, excerpt, pollAfterSeconds, location, ...facts }: CallFacts) =>
  facts;

export type LoggedFacts = ReturnType<typeof loggable>;

export interface OrderErrorOptions {
  cause?: unknown;
  call?: CallFacts | undefined;
}

/**
 * The base of every error that a function throws on purpose. Retry and Catch of the state machine match `name`. A test
 * compares the names with `statemachine/order.asl.json` and `statemachine/README.md`.
 */
export abstract class OrderError extends Error {
  abstract override readonly name: string;
  // A #private field, because Lambda logs every enumerable property of an error.
  readonly #call: CallFacts;

  constructor(message: string, { cause, call = {} }: OrderErrorOptions = {}) {
    super(bounded(message), cause === undefined ? undefined : { cause });
    this.#call = call;
  }

  /** The facts of the call that failed. Empty if no call was made. */
  get call(): CallFacts {
    return this.#call;
  }
}

export const errorNames: string[] = [];

function named<Name extends string>(name: Name) {
  errorNames.push(name);
  return class extends OrderError {
    override readonly name = name;
  };
}

/** Another error for the same failed call, with its facts, of which some may differ. */
export function rebuilt<Failure extends OrderError>(
  OtherError: new (message: string, options: OrderErrorOptions) => Failure,
  message: string,
  error: OrderError,
  changed: CallFacts = {},
): Failure {
  return new OtherError(message, { cause: error, call: { ...error.call, ...changed } });
}

/** No connection, a fault of AWS, or a read that failed. It may succeed later; nothing was done. */
export class ServiceUnavailable extends named('ServiceUnavailable') {}

/** 429, or 503 with `Retry-After`, or the stage is paused. `core/ledger/knowledge.ts` says what it proves. */
export class Throttled extends named('Throttled') {}

/** The token endpoint refused the credentials, or they or the client certificate cannot be used. */
export class Unauthorized extends named('Unauthorized') {}

/** The service refused the call. `core/service/what-answers-prove.ts` says after which statuses. */
export class Rejected extends named('Rejected') {}

/** The outcome of a call that changes something is unknown: timeout, reset connection, 5xx. */
export class OutcomeUnknown extends named('OutcomeUnknown') {}

/** The service's response does not match the specification. */
export class UnexpectedResponse extends named('UnexpectedResponse') {}

/** Reads in a row gave no usable answer for the settling time. An outage, which no step may retry: its next read would begin to count anew. */
export class NoUsableAnswer extends named('NoUsableAnswer') {}

/** A file of the package changed or was deleted after intake had checked it. */
export class InvalidPackage extends named('InvalidPackage') {}

/** A signature was deleted from intake, or fails the stage's gate. Nothing was sent; the order waits for a valid one. */
export class SignatureUnusable extends named('SignatureUnusable') {}

export class SignaturesOverdue extends named('SignaturesOverdue') {}
export class DecisionOverdue extends named('DecisionOverdue') {}

/** The service's document is no longer the one that was staged to be signed. Nothing was sent. */
export class DocumentChanged extends named('DocumentChanged') {}

/** The stage has no KMS key, or the key and the certificate chain in intake cannot sign. Nothing was signed. */
export class SigningKeyUnusable extends named('SigningKeyUnusable') {}

/** Another execution drives this order. This one must stop. */
export class Superseded extends named('Superseded') {}
