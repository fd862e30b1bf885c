import type { CloudFormationServiceException as ServiceException } from '@aws-sdk/client-cloudformation';
import { SettingsError } from '../../infra/stage-folder.ts';
import { LAPTOP } from './place.ts';
import { capitalized, REFUSED, Refusal } from './text.ts';

const UNREACHABLE = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/;
const REFUSED_CREDENTIALS =
  /^(Expired|Unrecognized|InvalidClientToken|InvalidAccessKey|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthentication|RequestExpired)/;
const REPEATING_IS_SAFE = 'Repeating the command is safe: it does nothing twice.';

/** Exit code of an unexpected error in the command itself. */
export const OWN_FAULT = 4;

/** Describes an error for the operator, in a sentence and never as a stack trace. `where` names the AWS that was called. */
export function failureOf(error: unknown, where: string): { sentence: string; exitCode: number } {
  if (error instanceof SettingsError) return { sentence: `${error.message} Nothing was done.`, exitCode: REFUSED };
  if (error instanceof Refusal) return { sentence: error.message, exitCode: error.exitCode };
  const sentence = sentenceOfAws(error, where);
  if (sentence !== undefined) return { sentence, exitCode: REFUSED };
  const { name, message } = error as Error;
  return {
    sentence: `The command itself failed (${name}: ${ended(message)}) ${REPEATING_IS_SAFE} Please report it.`,
    exitCode: OWN_FAULT,
  };
}

/**
 * The sentence without the remark on repeating, for a command that changes nothing.
 * @throws the error itself if the command is at fault.
 */
export function problemOf(error: Error, where: string): string {
  const { sentence, exitCode } = failureOf(error, where);
  if (exitCode === OWN_FAULT) throw error;
  return sentence.replace(REPEATING_IS_SAFE, '').replace(': nothing was done.', '.').trim();
}

/** Whether AWS refused the credentials themselves. */
export function areCredentialsRefused({ name }: Error): boolean {
  return REFUSED_CREDENTIALS.test(name);
}

/** Whether AWS knows the credentials, but denies them this call. */
export function isAccessDenied({ name }: Error): boolean {
  return name.startsWith('AccessDenied') || name === 'AuthorizationErrorException';
}

function sentenceOfAws(error: unknown, where: string): string | undefined {
  const { name, message, code, $metadata, $fault } = error as Error & Partial<ServiceException> & { code?: string };
  if (code !== undefined && UNREACHABLE.test(code)) {
    const fix = where.startsWith(LAPTOP)
      ? 'Start it with "npm start", or name its address with --endpoint.'
      : 'Check that it is running and that the network works.';
    return `No connection to ${where} (${code}). ${fix} ${REPEATING_IS_SAFE}`;
  }
  if (name === 'TimeoutError') return `${capitalized(where)} did not answer in time. ${REPEATING_IS_SAFE}`;
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError') {
    return 'There are no AWS credentials: nothing was done. Sign in (AWS_PROFILE, or aws sso login), or use --local for the laptop.';
  }
  // An empty AWS_REGION, as a pipeline sets it from a variable that does not exist, is "not accepted".
  if (message === 'Region is missing' || message?.startsWith('Region not accepted: region=""')) {
    return 'No AWS region is set: nothing was done. Set AWS_REGION, or use --local for the laptop.';
  }
  if (areCredentialsRefused(error as Error)) {
    return `${capitalized(where)} refused the credentials (${name}). Sign in again. ${REPEATING_IS_SAFE}`;
  }
  if (isAccessDenied(error as Error)) return accessDenied(where, message);
  if ($metadata !== undefined && $fault === undefined) {
    return `Whatever answered at ${where} is not AWS: its answer can't be read. Check the address. ${REPEATING_IS_SAFE}`;
  }
  if ($metadata !== undefined) return `${capitalized(where)} answered ${name}: ${ended(message)} ${REPEATING_IS_SAFE}`;
  return undefined;
}

/** Shows the missing permission only: the rest of AWS's message names people and accounts. */
function accessDenied(where: string, message: string): string {
  const permission = /perform: ([\w:*-]+)/.exec(message)?.[1];
  return `${capitalized(where)} denied access: the credentials lack ${permission ? `the permission ${permission}` : 'a permission'} (docs/operations.md lists all). ${REPEATING_IS_SAFE}`;
}

function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
