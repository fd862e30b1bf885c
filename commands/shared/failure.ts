import type { CloudFormationServiceException as ServiceException } from '@aws-sdk/client-cloudformation';
import { SettingsError } from '../../infra/stage-folder.ts';
import { LAPTOP } from './place.ts';
import { type Failure, failure } from './refusals.ts';
import { capitalized, REFUSED, Refusal } from './text.ts';

const UNREACHABLE = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/;
const REFUSED_CREDENTIALS =
  /^(Expired|Unrecognized|InvalidClientToken|InvalidAccessKey|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthentication|RequestExpired)/;
const NOTHING_DONE = 'Nothing was done.';
const REPEATING_IS_SAFE = 'Repeating the command is safe: it does nothing twice.';

/** Exit code of an unexpected error in the command itself. */
export const OWN_FAULT = 4;

/** A failure for the operator. `sentence` also says whether the command may be repeated. */
type DescribedFailure = Failure & { sentence: string; exitCode: number };

/** Describes an error in a sentence, without a stack trace. `where` names the AWS that was called. */
export function commandFailure(error: unknown, where: string): DescribedFailure {
  const { name, message } = error as Error;
  if (error instanceof SettingsError) return described({ error: `${message} ${NOTHING_DONE}` }, '');
  if (error instanceof Refusal) return described({ error: message, ...error.coded }, '', error.exitCode);
  const ownFault = { error: `The command itself failed (${name}: ${ended(message)})` };
  return failureOfAws(error, where) ?? described(ownFault, `${REPEATING_IS_SAFE} Please report it.`, OWN_FAULT);
}

function described(failed: Failure, remark = REPEATING_IS_SAFE, exitCode = REFUSED): DescribedFailure {
  return { ...failed, sentence: `${failed.error} ${remark}`.trim(), exitCode };
}

/**
 * The sentence without the remark on repeating, for a command that changes nothing.
 * @throws the error itself if the command is at fault.
 */
export function problemOf(error: Error, where: string): string {
  const { error: sentence, exitCode } = commandFailure(error, where);
  if (exitCode === OWN_FAULT) throw error;
  return sentence;
}

export function areCredentialsRefused({ name }: Error): boolean {
  return REFUSED_CREDENTIALS.test(name);
}

/** Whether AWS knows the credentials, but denies them this call. */
export function isAccessDenied({ name, $metadata }: Error & Partial<ServiceException>): boolean {
  // The answer to a HEAD names no error.
  const isUnnamed = name === 'UnknownError' && $metadata?.httpStatusCode === 403;
  return isUnnamed || name.startsWith('AccessDenied') || name === 'AuthorizationErrorException';
}

/** For `catch`: ignores such an error. Any other is thrown. */
export const ignoring =
  (isExpected: (error: Error) => boolean) =>
  (error: Error): undefined => {
    if (!isExpected(error)) throw error;
  };

function failureOfAws(error: unknown, where: string): DescribedFailure | undefined {
  const { name, message, code, $metadata, $fault } = error as Error & Partial<ServiceException> & { code?: string };
  const place = { where, laptop: where.startsWith(LAPTOP) ? where.slice(`${LAPTOP} at `.length) : undefined };
  if (code !== undefined && UNREACHABLE.test(code)) return described(failure('unreachable', { ...place, code }));
  if (name === 'TimeoutError') return described(failure('timedOut', place));
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError')
    return described(failure('noCredentials'), NOTHING_DONE);
  // An empty AWS_REGION, as a pipeline sets from an undefined variable, is "not accepted".
  if (message === 'Region is missing' || message?.startsWith('Region not accepted: region=""'))
    return described({ error: 'No AWS region is set. Set AWS_REGION, or use --local for the laptop.' }, NOTHING_DONE);
  if (areCredentialsRefused(error as Error)) return described(failure('credentialsRefused', { ...place, name }));
  // Only the missing permission: the rest of AWS's message names people and accounts.
  const permission = /perform: ([\w:*-]+)/.exec(message)?.[1];
  if (isAccessDenied(error as Error)) return described(failure('accessDenied', { ...place, permission }));
  if ($metadata === undefined) return undefined;
  return described({
    error: $fault
      ? `${capitalized(where)} answered ${name}: ${ended(message)}`
      : `Whatever answered at ${where} is not AWS: its answer can't be read. Check the address.`,
  });
}

function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
