import {
  type OrderError,
  OutcomeUnknown,
  Rejected,
  ServiceUnavailable,
  Throttled,
  Unauthorized,
  UnexpectedResponse,
} from '../errors.ts';
import { type HttpFailure, type HttpResponse, readText } from './http.ts';

/** What a call was, in words for an operator, and whether it changes something at the service. */
export interface CallKind {
  operation: string;
  /** How sentences name the service that is called; the order service unless said otherwise. */
  service?: string;
  changes: boolean;
  /** Whether a successful answer holds a secret: nothing of it is kept. */
  isSecret?: true;
  /**
   * Whether 503 proves that a call which changes something was not done; some gateways answer it after they have passed the call
   * on. True unless the stage says otherwise.
   */
  unavailableProvesNothingDone?: boolean;
}

const EXCERPT_BYTES = 4096;
/** Of an answer that can't be used more is kept: the `orderId` of an order that exists may be anywhere in it. */
const KEPT_ANSWER_BYTES = 64 * 1024;
/** An order read brings the whole questionnaire back, and the offers: well above what a package may be. */
const BODY_LIMIT = 8 * 1024 * 1024;

/**
 * The class of error that a status proves. Statuses are ours to assume: specification, 7.2. A 503 with `Retry-After` asks for the same
 * as a 429 with one (RFC 9110, 10.2.3).
 */
export function failureClass(
  status: number,
  call: Pick<CallKind, 'changes' | 'unavailableProvesNothingDone'>,
  asksToWait = false,
) {
  const { changes, unavailableProvesNothingDone = true } = call;
  if (status === 401) return Unauthorized;
  if (status === 429) return Throttled;
  if (status === 503 && (unavailableProvesNothingDone || !changes)) return asksToWait ? Throttled : ServiceUnavailable;
  if (status === 408 || status >= 500) return changes ? OutcomeUnknown : ServiceUnavailable;
  if (status >= 400) return Rejected;
  return UnexpectedResponse;
}

/** Turns a response that is no success into its error; reads a bounded excerpt of the body and drops the rest. */
export async function failureOf(response: HttpResponse, call: CallKind): Promise<OrderError> {
  const excerpt = await readExcerpt(response, call);
  const waitSeconds = retryAfterSeconds(response.headers['retry-after']);
  const Failure = failureClass(response.status, call, waitSeconds !== undefined);
  const reference = response.headers['x-request-id'];
  const error = new Failure(`${call.operation}: ${nameOf(call)} answered ${response.status}. ${adviceFor(Failure)}`, {
    httpStatus: response.status,
    ...(typeof reference === 'string' && { requestReference: reference }),
    retryAfterSeconds: waitSeconds,
  });
  if (excerpt !== undefined) error.excerpt = excerpt;
  return error;
}

/** The error of a call that got no complete response. */
export function failureWithoutResponse(error: HttpFailure, call: CallKind): OrderError {
  if (!error.requestSent) {
    return new ServiceUnavailable(
      `${call.operation}: no connection to ${nameOf(call)} (${error.message}). Nothing was sent.`,
      {
        cause: error,
      },
    );
  }
  const Failure = call.changes ? OutcomeUnknown : ServiceUnavailable;
  const failure = new Failure(`${call.operation}: ${error.message}. ${adviceFor(Failure)}`, { cause: error });
  if (error.received) keepAnswer(failure, call, error.received);
  return failure;
}

function keepAnswer(failure: OrderError, { isSecret }: CallKind, text: string): void {
  if (!isSecret) failure.excerpt = Buffer.from(text).subarray(0, KEPT_ANSWER_BYTES).toString('utf8');
}

/**
 * The whole body of a successful response.
 * @throws UnexpectedResponse for a body that is too long; HttpFailure for one that is cut short.
 */
export async function readBody(response: HttpResponse, call: CallKind): Promise<string> {
  const { text, isWhole } = await readText(response, BODY_LIMIT);
  if (isWhole) return text;
  throw unexpected(response, call, `the body is longer than ${BODY_LIMIT} bytes`, text);
}

/**
 * The JSON value that a body is.
 * @throws UnexpectedResponse for a text that is no JSON.
 */
export function valueIn(text: string, response: HttpResponse, call: CallKind): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(response, call, text === '' ? 'the body is empty' : 'the body is not JSON', text);
  }
}

/**
 * The JSON object that a body is.
 * @throws UnexpectedResponse for a text that is not JSON, or no object.
 */
export function objectIn(text: string, response: HttpResponse, call: CallKind): Record<string, unknown> {
  const value = valueIn(text, response, call);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unexpected(response, call, 'the body is not a JSON object', text);
  }
  return value as Record<string, unknown>;
}

/**
 * Closes the response, which says something that can't be used.
 * @param text the body, of which the beginning is kept for the operator.
 */
export function unexpected(response: HttpResponse, call: CallKind, what: string, text: string): UnexpectedResponse {
  response.body.destroy();
  const where = call.isSecret ? '' : ' Its answer is in staging under errors/.';
  const failure = new UnexpectedResponse(
    `${call.operation}: ${nameOf(call)} answered ${response.status}, but ${what}.${where}`,
    { httpStatus: response.status },
  );
  keepAnswer(failure, call, text);
  return failure;
}

function nameOf({ service = 'the order service' }: CallKind): string {
  return service;
}

/** `Retry-After` as seconds from now: a number of seconds or an HTTP date (RFC 9110, 10.2.3). */
export function retryAfterSeconds(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

/** Undefined where nothing may be kept of it. */
async function readExcerpt(response: HttpResponse, { isSecret }: CallKind): Promise<string | undefined> {
  try {
    if (isSecret && response.status < 300) return undefined;
    return (await readText(response, EXCERPT_BYTES)).text;
  } catch (error) {
    return `(no excerpt: ${(error as Error).message})`;
  } finally {
    response.body.destroy();
  }
}

function adviceFor(Failure: ReturnType<typeof failureClass>): string {
  switch (Failure) {
    case OutcomeUnknown:
      return 'It may or may not have been done.';
    case Rejected:
      return "It was refused; the service's words are in staging under errors/.";
    case UnexpectedResponse:
      return 'The specification knows no such answer.';
    case Unauthorized:
      return 'The credentials or the token were refused, with a fresh token too.';
    default:
      return 'Nothing was done.';
  }
}
