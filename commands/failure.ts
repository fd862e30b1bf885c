import type { CloudFormationServiceException as ServiceException } from '@aws-sdk/client-cloudformation';
import { Refusal } from './refusal.ts';
import { capitalized } from './text.ts';

const UNREACHABLE = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
];
const REFUSED_CREDENTIALS =
  /^(Expired|Unrecognized|InvalidClientToken|InvalidAccessKey|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthentication|RequestExpired)/;
const AGAIN = 'The same command again is safe: it does nothing twice.';

/** Exit codes of a command that was not done. */
export const REFUSED = 1;
export const OWN_FAULT = 4;

/** What went wrong, as a sentence for the operator: never a stack. `where` says in words which AWS was asked. */
export function failureOf(error: unknown, where: string): { sentence: string; exitCode: number } {
  const sentence = error instanceof Refusal ? error.message : sentenceOfAws(error, where);
  if (sentence !== undefined) return { sentence, exitCode: REFUSED };
  const { name, message } = error as Error;
  return {
    sentence: `The command itself failed (${name}: ${ended(message)}) ${AGAIN} Please report it.`,
    exitCode: OWN_FAULT,
  };
}

function sentenceOfAws(error: unknown, where: string): string | undefined {
  const { name, message, code, $metadata, $fault } = error as Error & Partial<ServiceException> & { code?: string };
  if (code !== undefined && UNREACHABLE.includes(code)) {
    return `No connection to ${where} (${code}). Check that it runs and that the network is there. ${AGAIN}`;
  }
  if (name === 'TimeoutError') return `${capitalized(where)} did not answer in time. ${AGAIN}`;
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError') {
    return 'There are no AWS credentials to work with: nothing was done. Sign in (AWS_PROFILE, or aws sso login), or say --local for the laptop.';
  }
  if (message === 'Region is missing') {
    return 'No AWS region is set: nothing was done. Set AWS_REGION, or say --local for the laptop.';
  }
  if (REFUSED_CREDENTIALS.test(name)) {
    return `${capitalized(where)} refused the credentials (${name}). Sign in again. ${AGAIN}`;
  }
  if (name.startsWith('AccessDenied')) return accessDenied(where, message);
  if ($metadata !== undefined && $fault === undefined) {
    return `What answered at ${where} is not AWS: its answer can't be read. Check the address. ${AGAIN}`;
  }
  if ($metadata !== undefined) return `${capitalized(where)} answered ${name}: ${ended(message)} ${AGAIN}`;
  return undefined;
}

/** The right that is missing; the rest of AWS's message names people and accounts. */
function accessDenied(where: string, message: string): string {
  const right = /perform: ([\w:*-]+)/.exec(message)?.[1];
  return `${capitalized(where)} did not allow it: the credentials lack ${right ? `the right ${right}` : 'a right'} (docs/operations.md lists them). ${AGAIN}`;
}

function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
