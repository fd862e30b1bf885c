import { bounded } from './limits.ts';

/** Characters of an ID of a request. */
const LONGEST_REFERENCE = 200;

export interface OrderErrorOptions {
  cause?: unknown;
  /** Status of the order service's response, if there was one. */
  httpStatus?: number;
  /** The service's ID of the request (`x-request-id`). Its support asks for it. */
  requestReference?: string;
  /** The service's `Retry-After` in seconds, if it sent one (RFC 9110, 10.2.3). */
  retryAfterSeconds?: number | undefined;
}

/**
 * The base of every error that a function throws on purpose. Retry and Catch of the state machine match `name`. A test
 * compares the names with `statemachine/order.asl.json` and `statemachine/README.md`.
 */
export abstract class OrderError extends Error {
  abstract override readonly name: string;
  readonly httpStatus: number | undefined;
  readonly requestReference: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /**
   * The beginning of the service's response body. It may contain the questionnaire, and the message reaches logs and
   * execution histories. So it is not part of the message: it goes to the encrypted staging bucket only.
   */
  get excerpt(): string | undefined {
    return this.#excerpt;
  }

  set excerpt(text: string) {
    this.#excerpt = text;
  }

  // A #private field, because Lambda logs every enumerable property of an error.
  #excerpt: string | undefined;

  constructor(message: string, options: OrderErrorOptions = {}) {
    super(bounded(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.httpStatus = options.httpStatus;
    this.requestReference = options.requestReference && bounded(options.requestReference, LONGEST_REFERENCE);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Nothing was done: no connection, or 503. Or a read failed, and may succeed later. */
export class ServiceUnavailable extends OrderError {
  override readonly name = 'ServiceUnavailable';
}

/** 429, or 503 with `Retry-After`, or the stage is paused: nothing was done. */
export class Throttled extends OrderError {
  override readonly name = 'Throttled';
  /**
   * The recorded time before which the service must not be called, if the state machine waits until then and runs the step
   * again. Undefined if the step fails.
   */
  postponedUntil?: string;
}

/** The service answered 401 even with a new token, or the token endpoint refused the credentials. */
export class Unauthorized extends OrderError {
  override readonly name = 'Unauthorized';
}

/** Any other 4xx: the service refused the call. `excerpt` holds the beginning of its answer. */
export class Rejected extends OrderError {
  override readonly name = 'Rejected';
}

/** A call that changes something ended without proof of what it did: timeout, reset connection, 500, 502, 504. */
export class OutcomeUnknown extends OrderError {
  override readonly name = 'OutcomeUnknown';
}

/** The service's response does not match the specification. */
export class UnexpectedResponse extends OrderError {
  override readonly name = 'UnexpectedResponse';

  /** The value of `pollAfterSeconds` in an answer that cannot be used otherwise. It may be of any type. */
  get pollAfterSeconds(): unknown {
    return this.#pollAfterSeconds;
  }

  set pollAfterSeconds(sent: unknown) {
    this.#pollAfterSeconds = sent;
  }

  // A #private field for the same reason as the excerpt: the value may be anything.
  #pollAfterSeconds: unknown;
}

/** A file of the package changed or was deleted after intake had checked it. */
export class InvalidPackage extends OrderError {
  override readonly name = 'InvalidPackage';
}

/** A signature was deleted from intake, or fails the stage's gate. Nothing was sent; the order waits for a valid one. */
export class SignatureUnusable extends OrderError {
  override readonly name = 'SignatureUnusable';
}

/** Signatures are missing, and the stage's deadline has passed. */
export class SignaturesOverdue extends OrderError {
  override readonly name = 'SignaturesOverdue';
}

/** The decision on the offers is missing, and the stage's deadline has passed. */
export class DecisionOverdue extends OrderError {
  override readonly name = 'DecisionOverdue';
}

/** The service's document is no longer the one that was staged to be signed. Nothing was sent. */
export class DocumentChanged extends OrderError {
  override readonly name = 'DocumentChanged';
}

/** The stage has no KMS key, or the key and the certificate chain in intake cannot sign. Nothing was signed. */
export class SigningKeyUnusable extends OrderError {
  override readonly name = 'SigningKeyUnusable';
}

/** Another execution drives this order. This one must stop. */
export class Superseded extends OrderError {
  override readonly name = 'Superseded';
}

/** The names of all errors above. */
export const errorNames = [
  ServiceUnavailable,
  Throttled,
  Unauthorized,
  Rejected,
  OutcomeUnknown,
  UnexpectedResponse,
  InvalidPackage,
  SignatureUnusable,
  DocumentChanged,
  SigningKeyUnusable,
  Superseded,
  SignaturesOverdue,
  DecisionOverdue,
].map((OneError) => new OneError('').name as string);
