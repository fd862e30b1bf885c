import { likeIdentifier } from '../bounded.ts';
import {
  type CallFacts,
  type OrderError,
  type RequestContext,
  ServiceUnavailable,
  UnexpectedResponse,
} from '../errors.ts';
import { readText } from '../http/answer-body.ts';
import { certificateFailure } from '../http/certificate-failures.ts';
import { HttpFailure, type HttpResponse } from '../http/http.ts';
import { extentOf, MOST_VALUES } from '../json/lossless-json.ts';
import { withoutSecrets } from '../used-secrets.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { ERRORS, isChange, type Kind, type Meaning, meaningOf } from './what-answers-prove.ts';

export interface CallKind {
  /** The call in words, for operators: `Create order`. */
  title: string;
  context: RequestContext;
  /** The service as messages name it. Default: the order service. */
  service?: string;
  kind: Kind;
  /** Whether request and answer contain secrets. Then only status, type and length of the answer are stored. */
  isSecret?: true;
}

/** The most bytes of a refusal that are stored. */
const EXCERPT_BYTES = 4096;
/** The most bytes of an unusable response that are stored: more, because the `orderId` of a new order may be anywhere in it. */
const KEPT_ANSWER_BYTES = 64 * 1024;
/** The default limit of a response body. An order read returns the whole questionnaire and the offers. */
const BODY_LIMIT = 8 * 1024 * 1024;

/**
 * Turns an unsuccessful response into an error. Keeps the beginning of its body, and drops the rest.
 * @param problem what else is wrong with the response: `but it is empty`.
 * @param text the body, if it was read.
 */
export async function failureOf(response: HttpResponse, call: CallKind, problem?: string, text?: string) {
  const excerpt = text === undefined ? await readExcerpt(response, call) : keptAnswer(call, text, response);
  response.body.destroy();
  const { status, headers } = response;
  const seconds = retryAfterSeconds(headers['retry-after'], headers.date);
  const meaning = meaningOf(status, call, seconds !== undefined);
  const more = status === 401 && call.kind !== 'token' ? 'to a new token, too' : problem;
  const what = more === undefined ? `${status}` : `${status}, ${more}`;
  return new ERRORS[meaning](`${call.title}: ${nameOf(call)} answered ${what}. ${ADVICE[meaning]}`, {
    call: { ...factsOf(response, call), retryAfterSeconds: seconds, excerpt },
  });
}

export function factsOf({ status, headers }: HttpResponse, { context, isSecret }: CallKind): CallFacts {
  const { 'x-request-id': reference, location } = isSecret ? {} : headers;
  return { ...context, httpStatus: status, requestReference: likeIdentifier(reference), location };
}

/** Throws the error for a call without a complete response. Other errors are thrown as they are. */
export const throwFailure = (call: CallKind, location?: string) => (error: unknown) => {
  throw error instanceof HttpFailure ? failureWithoutResponse(error, call, location) : error;
};

function failureWithoutResponse(error: HttpFailure, call: CallKind, location?: string): OrderError {
  const changes = isChange(call);
  const ofCertificate = certificateFailure(error, { ...call, changes, service: nameOf(call) });
  if (ofCertificate) return ofCertificate;
  if (!error.requestSent)
    return new ServiceUnavailable(
      `${call.title}: there is no connection to ${nameOf(call)} (${error.message}). Nothing was sent.`,
      { cause: error, call: call.context },
    );
  const meaning = changes ? 'unknown' : 'outage';
  return new ERRORS[meaning](`${call.title}: ${error.message}. ${ADVICE[meaning]}`, {
    cause: error,
    call: { ...call.context, location, excerpt: error.received && keptAnswer(call, error.received) },
  });
}

function keptAnswer({ isSecret }: CallKind, text: string, response?: HttpResponse, most = KEPT_ANSWER_BYTES): string {
  if (!isSecret) return Buffer.from(withoutSecrets(text)).subarray(0, most).toString('utf8');
  const [type = 'unknown type'] = /^[a-z]+\/[a-z.+-]+/.exec(response?.headers['content-type'] ?? '') ?? [];
  return `(not kept: ${type}, ${Buffer.byteLength(text)} bytes read)`;
}

/** @throws UnexpectedResponse if the body has more bytes than `BODY_LIMIT` or is no text; HttpFailure if it is cut short. */
export async function readBody(response: HttpResponse, call: CallKind): Promise<string> {
  const { text, isWhole, problem } = await readText(response, BODY_LIMIT);
  if (!isWhole) throw unexpected(response, call, `the body is longer than ${BODY_LIMIT} bytes`, text);
  if (problem !== undefined) throw unexpected(response, call, problem, text);
  return call.isSecret ? text : withoutSecrets(text);
}

/** @throws UnexpectedResponse if the body is not JSON. */
export function valueIn(text: string, response: HttpResponse, call: CallKind): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(response, call, text === '' ? 'the body is empty' : 'the body is not JSON', text);
  }
}

/** @throws UnexpectedResponse if the body is not a JSON object, or contains too many values for the function's memory. */
export function objectIn(text: string, response: HttpResponse, call: CallKind): Record<string, unknown> {
  if (extentOf(text).values > MOST_VALUES)
    throw unexpected(response, call, `the body has more than ${MOST_VALUES} values`, text);
  const value = valueIn(text, response, call);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unexpected(response, call, 'the body is not a JSON object', text);
  return value as Record<string, unknown>;
}

/** The error for a successful response that cannot be used. Its body is `text`. Closes the response. */
export function unexpected(
  response: HttpResponse,
  call: CallKind,
  what: string,
  text: string,
  facts: CallFacts = {},
): UnexpectedResponse {
  response.body.destroy();
  const where = call.isSecret ? '' : ' Its answer is in staging under errors/.';
  return new UnexpectedResponse(`${call.title}: ${nameOf(call)} answered ${response.status}, but ${what}.${where}`, {
    call: { ...factsOf(response, call), excerpt: keptAnswer(call, text, response), ...facts },
  });
}

const nameOf = ({ service = 'the order service' }: CallKind): string => service;

/** The beginning of the body. Reads beyond the limit, so a secret at the limit is complete and can be removed. */
async function readExcerpt(response: HttpResponse, call: CallKind): Promise<string> {
  try {
    return keptAnswer(call, (await readText(response, 2 * EXCERPT_BYTES)).text, response, EXCERPT_BYTES);
  } catch (error) {
    return `(no excerpt: ${(error as Error).message})`;
  }
}

const ADVICE: Record<Meaning, string> = {
  verdict: 'The service refused it. Its answer is in staging under errors/.',
  outage: 'Nothing was done.',
  later: 'It asked us to come back later.',
  unusable: 'The specification does not define this answer.',
  unknown: 'It may or may not have been done.',
};
