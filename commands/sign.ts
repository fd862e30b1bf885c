import type { Command } from 'commander';
import { type AddCommand, orderReference, type Print, YOUR_REFERENCE } from './shared/arguments.ts';
import type { Buckets } from './shared/buckets.ts';
import { connect } from './shared/connection.ts';
import { commandFailure } from './shared/failure.ts';
import { type PlaceOptions, place as placeOf } from './shared/place.ts';
import { type CommandResult, columns, formatCounts, plain, REFUSED, some } from './shared/text.ts';
import {
  type MadeSignature,
  readToSignPage,
  SIGNATURE_TYPE,
  type Signer,
  signOrder,
  type ToSignPage,
} from './sign/sign-order.ts';

/** Who signs: a key with its certificate, or a program. */
interface SignOptions {
  key?: string;
  cert?: string;
  with?: string;
  all?: true;
  file?: string[];
}

export const addSign: AddCommand = (program, perform) =>
  program
    .command('sign')
    .description('sign the documents of an order on this machine, and upload the signatures to intake')
    .argument('[orderRef]', YOUR_REFERENCE, orderReference)
    .option('--key <file>', 'private key in PEM, RSA or ECDSA')
    .option('--cert <file>', "the signer's certificate in PEM; its chain may follow it")
    .option('--with <program>', 'your own program with its arguments, which signs the file {document} into {signature}')
    .option('--file <file...>', 'signatures that you have, or a ZIP of them: each is checked, matched and uploaded')
    .option('--all', 'every order that waits for signatures')
    .action((orderRef: string | undefined, options: SignOptions, self: Command) => {
      const { key, cert, with: program, file: files, all } = options;
      const isWhole = (key === undefined) === (cert === undefined);
      if (!isWhole || [key, program, files].filter((way) => way !== undefined).length !== 1)
        self.error('error: give either --key <file> and --cert <file>, or --with <program>, or --file <file...>');
      if ((orderRef === undefined) !== (all === true)) self.error('error: give either an orderRef or --all');
      if (all && files) self.error('error: --file is for one order');
      return perform((place, print) =>
        orderRef === undefined ? signAll(place, options, print) : sign(place, orderRef, options),
      );
    });

async function signerOf({ key = '', cert = '', with: program }: SignOptions): Promise<Signer> {
  if (program === undefined) return (await import('./sign/signer.ts')).keySigner(key, cert);
  return (await import('./sign/program-signer.ts')).programSigner(program);
}

/**
 * Signs the staged documents on this machine and uploads the signatures to intake. Documents are streamed,
 * and stored only while a program signs them. Nothing is uploaded until all of them are signed.
 */
export async function sign(place: PlaceOptions, orderRef: string, options: SignOptions): Promise<CommandResult> {
  if (options.file) return (await import('./sign/hand-in.ts')).handIn(place, orderRef, options.file);
  const { openBuckets } = await import('./shared/buckets.ts');
  const buckets = await openBuckets(place);
  const page = await readToSignPage(buckets, orderRef);
  const signer = await signerOf(options);
  const signatures = await signOrder(buckets, page, signer);
  for (const { key, signature } of signatures) await buckets.putIntake(key, signature, SIGNATURE_TYPE);
  return answer(page);
}

function answer({ orderRef, round, documents }: ToSignPage): CommandResult {
  return {
    lines: [
      `Signed ${some(documents.length, 'document')} of order ${orderRef}; the signatures are in intake:`,
      ...columns(documents.map(({ fileId, signature }) => [fileId, signature])).map((line) => `  ${line}`),
    ],
    json: {
      orderRef,
      round,
      signatures: documents.map(({ fileId, sha256, signature }) => ({ fileId, sha256, signature })),
    },
  };
}

interface Outcome {
  orderRef: string;
  done: boolean;
  /** The number of uploaded signatures, and of those already in intake. */
  signed: number;
  already: number;
  said: string;
}

/**
 * Signs every order that waits for signatures, one after another. An order that cannot be signed does not stop the others. A signature that
 * is already in intake and was not rejected is kept, so the command is repeatable.
 * @param print writes the line of an order at once; undefined for a script.
 */
export async function signAll(
  place: PlaceOptions,
  options: SignOptions,
  print: Print | undefined,
): Promise<CommandResult> {
  const signer = await signerOf(options);
  const { record, buckets: open } = await connect(place);
  const buckets = await open();
  const outcomes: Outcome[] = [];
  // Longest waiting first.
  for (const { orderRef } of (await record.list({ waitingFor: 'signatures' })).reverse()) {
    const outcome = await signOne(buckets, orderRef, signer).catch((error: unknown) => {
      const said = `not signed. ${commandFailure(error, placeOf(place)).sentence}`;
      return { orderRef, done: false, signed: 0, already: 0, said };
    });
    outcomes.push(outcome);
    print?.(plain(`${orderRef}: ${outcome.said}`));
  }
  return summary(outcomes);
}

async function signOne(buckets: Buckets, orderRef: string, signer: Signer): Promise<Outcome> {
  const page = await readToSignPage(buckets, orderRef);
  let signed = 0;
  for (const made of await signOrder(buckets, page, signer)) if (await upload(buckets, orderRef, made)) signed += 1;
  const already = page.documents.length - signed;
  const kept = already > 0 && `${some(already, 'signature')} in intake already`;
  const said = [signed > 0 && `signed ${some(signed, 'document')}`, kept].filter(Boolean).join(', ');
  return { orderRef, done: true, signed, already, said };
}

/** Uploads a signature unless intake has one that was not rejected. Returns whether it was uploaded. */
async function upload(buckets: Buckets, orderRef: string, made: MadeSignature): Promise<boolean> {
  const { document, key, signature } = made;
  if (await buckets.putIntakeIf(key, signature, SIGNATURE_TYPE)) return true;
  const rejection = `signatures-rejected/${encodeURIComponent(document.fileId)}.json`;
  if ((await buckets.staged(orderRef, rejection)) === undefined) return false;
  await buckets.putIntake(key, signature, SIGNATURE_TYPE);
  return true;
}

function summary(outcomes: Outcome[]): CommandResult {
  if (outcomes.length === 0) return { lines: ['No order waits for signatures.'], json: { orders: [] } };
  const refused = outcomes.filter(({ done }) => !done).length;
  const before = outcomes.filter(({ done, signed }) => done && signed === 0).length;
  const signed = outcomes.length - refused - before;
  const counted = formatCounts({ signed, 'signed before': before, 'not signed': refused });
  return {
    lines: [`${some(outcomes.length, 'order')}: ${counted}.`],
    json: { orders: outcomes },
    exitCode: refused > 0 ? REFUSED : 0,
  };
}
