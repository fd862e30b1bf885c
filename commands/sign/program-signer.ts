import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf } from '@business-loan-orders/detached-signatures/digest';
import { checkSignature, type SignedDocument } from '@business-loan-orders/detached-signatures/signature-gate';
import { parse } from 'shell-quote';
import { told } from '../../core/signing/gate.ts';
import { whatWasSigned } from '../../core/signing/what-was-signed.ts';
import { removeWhenStopped } from '../shared/local-file.ts';
import { Refusal } from '../shared/text.ts';
import { DOCUMENT, SIGNATURE } from './openssl-lines.ts';
import type { DocumentToSign, Signer, ToSignPage } from './sign-order.ts';

/**
 * A signer that runs the partner's own program for each document, without a shell. The program reads the file {document} and writes a
 * detached signature to {signature}. Its output and questions are shown. Both files are removed afterwards, even if a signal stops the
 * command.
 * @param commandLine the program and its arguments, quoted as for a POSIX shell.
 * @throws Refusal if a placeholder is missing, or a word needs a shell.
 */
export function programSigner(commandLine: string): Signer {
  const [program = '', ...words] = wordsOf(commandLine);
  for (const placeholder of [DOCUMENT, SIGNATURE])
    if (!words.some((word) => word.includes(placeholder)))
      throw new Refusal(
        `--with has no ${placeholder} after the program: nothing was signed. Write the program and its arguments, with ${DOCUMENT} and ${SIGNATURE} for the two files.`,
      );
  return async (read, { document, page }) => {
    const folder = await mkdtemp(join(tmpdir(), 'loan-orders-sign-'));
    const ignoreSignals = removeWhenStopped(folder, `nothing of order ${page.orderRef} was uploaded`);
    const files = { document: join(folder, 'document'), signature: join(folder, 'document.sig') };
    try {
      await read(createWriteStream(files.document, { mode: 0o600 }));
      const given = (word: string) => word.replaceAll(DOCUMENT, files.document).replaceAll(SIGNATURE, files.signature);
      await runProgram(program, words.map(given), document);
      return await madeSignature(files, document, page);
    } finally {
      await rm(folder, { recursive: true, force: true });
      ignoreSignals();
    }
  };
}

/** Text whose quotes are all closed, and that does not end with a backslash. */
const QUOTED = /^(?:[^'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*$/s;

function wordsOf(commandLine: string): string[] {
  if (!QUOTED.test(commandLine)) throw new Refusal('--with has a quote that is not closed: nothing was signed.');
  // Variables are not expanded.
  return parse(commandLine, (name) => `$${name}`).map((word) => {
    if (typeof word === 'string') return word;
    const sign = 'comment' in word ? '#' : 'pattern' in word ? word.pattern : word.op;
    throw new Refusal(
      `--with runs a program without a shell, and ${sign} needs one: nothing was signed. Quote it, or write a script and run that.`,
    );
  });
}

const NOT_STARTED: Record<string, string> = {
  ENOENT: 'there is no such program',
  EACCES: 'it is not executable: chmod +x',
};

/** The program shares our terminal, so that it can ask for a PIN. Its output goes to standard error, because a script may read ours. */
async function runProgram(program: string, words: string[], { fileId }: DocumentToSign): Promise<void> {
  const child = spawn(program, words, { stdio: ['inherit', process.stderr.fd, process.stderr.fd] });
  const stop = () => child.kill();
  process.once('exit', stop);
  const ended = await new Promise<string | undefined>((resolve) => {
    child.once('error', ({ code = '', message }: NodeJS.ErrnoException) =>
      resolve(`could not be started (${NOT_STARTED[code] ?? message})`),
    );
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`),
    );
  });
  process.removeListener('exit', stop);
  if (ended !== undefined)
    throw new Refusal(
      `The program ${program} ${ended} for document ${fileId}: nothing was uploaded. Fix it, and repeat this.`,
    );
}

/** @throws Refusal if the program wrote no signature, or one that the gate refuses. */
async function madeSignature(
  files: Record<'document' | 'signature', string>,
  { fileId, sha256, size }: DocumentToSign,
  { orderRef }: ToSignPage,
): Promise<Uint8Array> {
  const made = await readFile(files.signature).catch(() => undefined);
  if (!made)
    throw new Refusal(
      `The program wrote no signature of document ${fileId}: nothing was uploaded. It must write one to the path that ${SIGNATURE} stands for.`,
    );
  const document: SignedDocument = {
    digest: (algorithm) => digestOf(createReadStream(files.document), algorithm),
    open: async () => createReadStream(files.document),
    size,
    findOwner: (...sought) => whatWasSigned(document, ...sought),
  };
  if ((await document.digest('sha256')).toString('hex') !== sha256)
    throw new Refusal(`The program changed document ${fileId} of order ${orderRef}: nothing was uploaded.`);
  const verdict = await checkSignature(made, document, { level: 'check', authorities: [], now: new Date() });
  if (verdict.passed) return verdict.bytes;
  throw new Refusal(
    `The program's signature of document ${fileId} of order ${orderRef} cannot be used: nothing was uploaded. ${told(verdict).problem}`,
  );
}
