import { type Coded, type CodeOf, say, type Words } from '../../core/messages/say.ts';
import { capitalized, REFUSED, Refusal } from './text.ts';

/** The last sentence of a refusal of `evidence`. */
export const NO_ARCHIVE = 'no archive was written';
const FIX =
  'No archive was written. Fix it (docs/evidence.md, "Who may sign"), or write it without the signature of the stage\'s key (--unsigned).';

/** Describes an AWS. `laptop` is its address on the laptop. */
interface Where {
  where: string;
  laptop?: string | undefined;
}

/** The refusals and failures of commands and of its server that the console shows. */
export const REFUSALS = {
  consoleClosed:
    'This console is not open in this browser. Open the address that the terminal printed last: each works once.',
  notOfThePage: 'The request is not one that the page makes.',
  noAddress: 'The console has nothing at this address.',
  tooLarge: 'What was sent is larger than the console takes: nothing was done.',
  archiveGone: 'This archive was taken already, or is gone: write it again.',

  noOrderHere: ({ orderRef }: { orderRef: string }) =>
    `There is no order ${orderRef} here: either nothing was uploaded under that orderRef, or its package was rejected (see rejected/orders/${orderRef}/ in the staging bucket). "loan-orders list" lists the orders, and "loan-orders list --rejected" what was rejected.`,
  nothingToSign: ({ orderRef, status }: { orderRef: string; status: string }) =>
    `Order ${orderRef} is ${status}: there is nothing to sign.`,
  stillStaged: ({ orderRef }: { orderRef: string }) =>
    `Order ${orderRef} has nothing to sign at the moment: its documents are still being staged. Repeat this in a minute.`,
  nothingUnsigned: 'No document lacks a signature: there is nothing to download.',
  keyUnusable: ({ why }: { why: Coded & { problem: string } }) => `${why.problem} ${FIX}`,
  keyNotAllowed: `These credentials may not use the stage's key for evidence. ${FIX}`,
  changed: ({ key }: { key: string }) =>
    `${key} does not have the size or the SHA-256 that is recorded: ${NO_ARCHIVE}. Ask who changed it.`,
  removed: ({ key }: { key: string }) =>
    `${key} was removed while this command read it: ${NO_ARCHIVE}. Repeat the command.`,
  notWritten: ({ file, code, nothing }: { file: string; code: string; nothing: string }) =>
    `${file} can't be written (${code}): ${nothing}.`,

  accessDenied: ({ where, permission }: Where & { permission?: string | undefined }) =>
    `${capitalized(where)} denied access: the credentials lack ${permission === undefined ? 'a permission' : `the permission ${permission}`} (docs/operations.md lists all).`,
  credentialsRefused: ({ where, name }: Where & { name: string }) =>
    `${capitalized(where)} refused the credentials (${name}). Sign in again.`,
  timedOut: ({ where }: Where) => `${capitalized(where)} did not answer in time.`,
  unreachable: ({ where, laptop, code }: Where & { code: string }) =>
    `No connection to ${where} (${code}). ${laptop === undefined ? 'Check that it is running and that the network works.' : 'Start it with "loan-orders local", or name its address with --endpoint.'}`,
  noCredentials:
    'There are no AWS credentials. Sign in (AWS_PROFILE, or aws sso login), or use --local for the laptop.',
} satisfies Words;

export type RefusalCode = CodeOf<typeof REFUSALS>;

/** Why something failed: in one sentence, and as a code if the page translates it. */
export interface Failure extends Coded {
  error: string;
}

export function failure(...[code, params]: RefusalCode): Failure {
  return { error: say(REFUSALS, { code, params }) ?? '', code, params };
}

export function refusal(...own: RefusalCode): Refusal {
  const { error, ...coded } = failure(...own);
  return new Refusal(error, REFUSED, coded);
}
