/**
 * Every error a function throws on purpose. `name` is what the state machine's Retry and Catch match, so the names here
 * and in `statemachine/order.asl.json` are one vocabulary (`statemachine/README.md` lists them, a test compares them).
 */
export interface OrderErrorOptions {
  cause?: unknown;
  /** Status of the order service's response, when there was one. */
  httpStatus?: number;
  /** The service's own reference of the request (`x-request-id`), for a call to its support. */
  requestReference?: string;
  /** Seconds until the service wants to be called again (`Retry-After`; RFC 9110, 10.2.3), where it sent them. */
  retryAfterSeconds?: number | undefined;
}

export abstract class OrderError extends Error {
  abstract override readonly name: string;
  /** Whether the same step may be run again without asking anybody. */
  abstract readonly retryable: boolean;
  readonly httpStatus: number | undefined;
  readonly requestReference: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /**
   * The beginning of the service's body. It may echo the questionnaire, so it is never part of the message (which reaches
   * logs and execution histories): the order's middleware puts it into the encrypted staging bucket.
   */
  get excerpt(): string | undefined {
    return this.#excerpt;
  }

  set excerpt(text: string) {
    this.#excerpt = text;
  }

  // Private in earnest: Lambda's runtime logs every enumerable property of an error that a function throws.
  #excerpt: string | undefined;

  constructor(message: string, options: OrderErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.httpStatus = options.httpStatus;
    this.requestReference = options.requestReference;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Nothing was done: refused connection, unknown host, 503; or a read that failed in any passing way. */
export class ServiceUnavailable extends OrderError {
  override readonly name = 'ServiceUnavailable';
  override readonly retryable = true;
}

/** 429, or 503 with `Retry-After`: nothing was done. */
export class Throttled extends OrderError {
  override readonly name = 'Throttled';
  override readonly retryable = true;
}

/** 401 again after one forced token refresh, or the token endpoint refused the credentials. */
export class Unauthorized extends OrderError {
  override readonly name = 'Unauthorized';
  override readonly retryable = false;
}

/** Any other 4xx: the service understood and said no. `excerpt` holds the beginning of its body. */
export class Rejected extends OrderError {
  override readonly name = 'Rejected';
  override readonly retryable = false;
}

/** A changing call ended without proof of what it did: timeout, reset, 500, 502, 504. */
export class OutcomeUnknown extends OrderError {
  override readonly name = 'OutcomeUnknown';
  override readonly retryable = false;
}

/** A response that does not say what the specification says it says. */
export class UnexpectedResponse extends OrderError {
  override readonly name = 'UnexpectedResponse';
  override readonly retryable = false;

  /** The member `pollAfterSeconds` of an answer that can't be used otherwise, whatever it is. */
  get pollAfterSeconds(): unknown {
    return this.#pollAfterSeconds;
  }

  set pollAfterSeconds(sent: unknown) {
    this.#pollAfterSeconds = sent;
  }

  // Private like the excerpt: it may be anything.
  #pollAfterSeconds: unknown;
}

/** The package changed or vanished after intake had checked it. */
export class InvalidPackage extends OrderError {
  override readonly name = 'InvalidPackage';
  override readonly retryable = false;
}

/** A signature in intake is not there any more, or does not pass the stage's gate. Nothing was sent; the order waits for a good one. */
export class SignatureUnusable extends OrderError {
  override readonly name = 'SignatureUnusable';
  override readonly retryable = false;
}

/** Not every signature came before the stage's deadline. */
export class SignaturesOverdue extends OrderError {
  override readonly name = 'SignaturesOverdue';
  override readonly retryable = false;
}

/** No decision on the offers came before the stage's deadline. */
export class DecisionOverdue extends OrderError {
  override readonly name = 'DecisionOverdue';
  override readonly retryable = false;
}

/** The service gives other bytes for a document than those that were staged to be signed. Nothing was sent. */
export class DocumentChanged extends OrderError {
  override readonly name = 'DocumentChanged';
  override readonly retryable = false;
}

/** The stage has no KMS key, or not one that can sign under the certificate chain in intake. Nothing was signed. */
export class SigningKeyUnusable extends OrderError {
  override readonly name = 'SigningKeyUnusable';
  override readonly retryable = false;
}

/** Another execution drives this order: this one must not touch it. */
export class Superseded extends OrderError {
  override readonly name = 'Superseded';
  override readonly retryable = false;
}

/** The names above, which are one vocabulary with the state machine. */
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
