import { type OrderError, OutcomeUnknown, type RequestContext, ServiceUnavailable, Unauthorized } from '../errors.ts';
import type { HttpFailure } from './http.ts';

interface FailedCall {
  title: string;
  context: RequestContext;
  service: string;
  changes: boolean;
}

const ADD_AUTHORITY =
  'If it is the right one, add its authority to caBundle of the stage (docs/deployment.md, Private authorities).';
const UNKNOWN_ISSUER = { problem: 'comes from an authority that is not trusted here', advice: ADD_AUTHORITY };

/** What is wrong with the server's certificate, by the code that Node gives, and what to do. */
const SERVER_PROBLEMS: Record<string, { problem: string; advice: string }> = {
  CERT_HAS_EXPIRED: { problem: 'has expired', advice: 'Ask the service to renew it.' },
  CERT_NOT_YET_VALID: { problem: 'is not valid yet', advice: 'Ask the service to correct it.' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    problem: 'is for another host name',
    advice: 'Check the address in the settings of the stage, or ask the service.',
  },
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_ISSUER,
  CERT_UNTRUSTED: UNKNOWN_ISSUER,
};

/** Alerts with which a server refuses a client certificate (RFC 8446, 6.2), and why. */
const CLIENT_REFUSALS: Record<number, string> = {
  42: 'it does not accept it',
  43: 'it does not support its type',
  44: 'it was revoked',
  45: 'it has expired by the clock of the service',
  46: 'it does not accept it',
  48: 'it does not know the authority that issued it',
  49: 'it has no access',
  51: 'its signature is wrong',
};
const CERTIFICATE_REQUIRED = 116;
/** Up to TLS 1.2, a server sends this alert if it requires a certificate, or if there is no common cipher. */
const HANDSHAKE_FAILURE = 40;

const TO_SECRET = 'Put the right one into its secret (docs/deployment.md, Client certificate).';

/** The error for a failure of TLS that people can act on; undefined for any other failure. */
export function certificateFailure(failure: HttpFailure, call: FailedCall): OrderError | undefined {
  const code = failure.origin?.code ?? '';
  const listed = Object.hasOwn(SERVER_PROBLEMS, code) ? SERVER_PROBLEMS[code] : undefined;
  const unnamed = { problem: `cannot be verified (${code})`, advice: 'Ask the service to correct it.' };
  const { problem, advice } = listed ?? (code.startsWith('CERT_') ? unnamed : {});
  // The check of the server's certificate comes before the request.
  if (problem)
    return notSent(failure, call, `the certificate of ${call.service} ${problem}. Nothing was sent. ${advice}`);
  const alert = alertIn(failure);
  if (alert === HANDSHAKE_FAILURE && !failure.requestSent) {
    const what = 'refused the TLS handshake. It may require a client certificate.';
    return notSent(failure, call, `${call.service} ${what} Nothing was sent. ${SET_UP}`);
  }
  if (alert === CERTIFICATE_REQUIRED) return clientFailure(failure, call, 'requires a client certificate', SET_UP);
  const reason = alert === undefined ? undefined : CLIENT_REFUSALS[alert];
  if (reason === undefined) return undefined;
  return clientFailure(failure, call, `refused the client certificate: ${reason}`, TO_SECRET);
}

const SET_UP = 'If it does, set clientCertificate of the stage (docs/deployment.md, Client certificate).';

/** Whether the server may have closed the connection because of the client certificate. Not every server sends an alert. */
export function mayRefuseCertificate(failure: HttpFailure): boolean {
  const code = failure.origin?.code ?? '';
  return alertIn(failure) !== undefined || code === 'ECONNRESET' || code === 'EPIPE';
}

const notSent = (cause: HttpFailure, { title, context: call }: FailedCall, what: string): OrderError =>
  new ServiceUnavailable(`${title}: ${what}`, { cause, call });

/** A request that was already written may have been read by a server that checks certificates late. */
function clientFailure(cause: HttpFailure, call: FailedCall, what: string, advice: string): OrderError {
  const sentence = `${call.title}: ${call.service} ${what}.`;
  const options = { cause, call: call.context };
  const written = 'The request was already written: it may or may not have been done.';
  if (cause.requestSent && call.changes) return new OutcomeUnknown(`${sentence} ${written} ${advice}`, options);
  return new Unauthorized(`${sentence} Nothing was ${cause.requestSent ? 'done' : 'sent'}. ${advice}`, options);
}

function alertIn({ origin }: HttpFailure): number | undefined {
  const [, number] = /SSL alert number (\d+)/.exec(origin?.message ?? '') ?? [];
  return number === undefined ? undefined : Number(number);
}
