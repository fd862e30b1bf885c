import {
  type OrderError,
  OutcomeUnknown,
  Rejected,
  ServiceUnavailable,
  Throttled,
  Unauthorized,
  UnexpectedResponse,
} from './errors.ts';
import { type HttpFailure, type HttpResponse, readBeginning, readText } from './http.ts';

/** What a call was, in words for an operator, and whether it changes something at the service. */
export interface CallKind {
  operation: string;
  changes: boolean;
  /**
   * Whether 503 proves that a call which changes something was not done; some gateways answer it after they have passed the call
   * on. True unless the stage says otherwise.
   */
  unavailableProvesNothingDone?: boolean;
}

const EXCERPT_BYTES = 4096;
/** An order read brings the whole questionnaire back, and the offers: well above what a package may be. */
const BODY_LIMIT = 8 * 1024 * 1024;

/** The class of error that a status proves. Statuses are ours to assume: specification, 7.2. */
export function failureClass(status: number, call: Pick<CallKind, 'changes' | 'unavailableProvesNothingDone'>) {
  const { changes, unavailableProvesNothingDone = true } = call;
  if (status === 401) return Unauthorized;
  if (status === 429) return Throttled;
  if (status === 503 && unavailableProvesNothingDone) return ServiceUnavailable;
  if (status === 408 || status >= 500) return changes ? OutcomeUnknown : ServiceUnavailable;
  if (status >= 400) return Rejected;
  return UnexpectedResponse;
}

/** Turns a response that is no success into its error; reads a bounded excerpt of the body and drops the rest. */
export async function failureOf(response: HttpResponse, call: CallKind): Promise<OrderError> {
  const excerpt = await readExcerpt(response);
  const Failure = failureClass(response.status, call);
  const reference = response.headers['x-request-id'];
  const error = new Failure(`${call.operation}: the order service answered ${response.status}. ${adviceFor(Failure)}`, {
    httpStatus: response.status,
    ...(typeof reference === 'string' && { requestReference: reference }),
    retryAfterSeconds: retryAfterSeconds(response.headers['retry-after']),
  });
  error.excerpt = excerpt;
  return error;
}

/** The error of a call that got no complete response. */
export function failureWithoutResponse(error: HttpFailure, call: CallKind): OrderError {
  if (!error.requestSent) {
    return new ServiceUnavailable(
      `${call.operation}: no connection to the order service (${error.message}). Nothing was sent.`,
      {
        cause: error,
      },
    );
  }
  const Failure = call.changes ? OutcomeUnknown : ServiceUnavailable;
  return new Failure(`${call.operation}: ${error.message}. ${adviceFor(Failure)}`, { cause: error });
}

/**
 * The JSON object in a successful response.
 * @throws UnexpectedResponse for a body that is too long, not JSON, or no object.
 */
export async function readObject(
  response: HttpResponse,
  call: CallKind,
): Promise<{ text: string; value: Record<string, unknown> }> {
  const text = await readText(response, BODY_LIMIT).catch((error: Error) => {
    if (error instanceof RangeError) throw unexpected(response, call, error.message);
    throw error;
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unexpected(response, call, text === '' ? 'the body is empty' : 'the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unexpected(response, call, 'the body is not a JSON object');
  }
  return { text, value: value as Record<string, unknown> };
}

export function unexpected(response: HttpResponse, call: CallKind, what: string): UnexpectedResponse {
  response.body.destroy();
  return new UnexpectedResponse(`${call.operation}: the order service answered ${response.status}, but ${what}.`, {
    httpStatus: response.status,
  });
}

/** `Retry-After` as seconds from now: a number of seconds or an HTTP date (RFC 9110, 10.2.3). */
export function retryAfterSeconds(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

async function readExcerpt(response: HttpResponse): Promise<string> {
  try {
    return await readBeginning(response, EXCERPT_BYTES);
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
