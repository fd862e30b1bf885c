import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { digestOf } from '@business-loan-orders/detached-signatures/digest';
import { checkSignature, type SignedDocument } from '@business-loan-orders/detached-signatures/signature-gate';
import spawn from 'cross-spawn';
import { told } from '../../core/signing/gate.ts';
import { whatWasSigned } from '../../core/signing/what-was-signed.ts';
import { fileNames } from '../shared/file-names.ts';
import { removeWhenStopped } from '../shared/local-file.ts';
import { plain, Refusal } from '../shared/text.ts';
import { wordsOf } from './command-words.ts';
import { DOCUMENT, SIGNATURE } from './openssl-program.ts';
import type { DocumentToSign, Signer, ToSignPage } from './sign-order.ts';

/**
 * A signer that runs the partner's own program for each document, without a shell. The program reads the file {document} and writes a
 * detached signature to {signature}, or to any name in the document's folder. Its output and questions are shown. The folder is removed
 * afterwards, even if a signal stops the command.
 * @param commandLine the program and its arguments, quoted as the platform does.
 * @throws Refusal if {document} is missing, or a word needs a shell.
 */
export function programSigner(commandLine: string, platform = process.platform): Signer {
  const [program = '', ...words] = wordsOf(commandLine, platform);
  const has = (placeholder: string) => words.some((word) => word.includes(placeholder));
  if (!has(DOCUMENT))
    throw new Refusal(
      `--with has no ${DOCUMENT} after the program: nothing was signed. Write the program and its arguments, with ${DOCUMENT} and ${SIGNATURE} for the two files.`,
    );
  return async (read, { document, page }) => {
    const folder = await mkdtemp(join(tmpdir(), 'loan-orders-sign-'));
    const ignoreSignals = removeWhenStopped(folder, `nothing of order ${page.orderRef} was uploaded`);
    const [name = ''] = fileNames([{ fileId: 'document', contentType: document.contentType }]);
    const files = { folder, document: join(folder, name), signature: join(folder, `${name}.sig`) };
    try {
      await read(createWriteStream(files.document, { mode: 0o600 }));
      const given = (word: string) =>
        word.replaceAll(/{(document|signature|folder)}/g, (_, what: keyof typeof files) => files[what]);
      await runProgram(program, words.map(given), document);
      const made = (await readdir(folder)).filter((one) => one !== name && (!has(SIGNATURE) || one === `${name}.sig`));
      return await madeSignature(files.document, made, document, page);
    } finally {
      await rm(folder, { recursive: true, force: true });
      ignoreSignals();
    }
  };
}

const NOT_STARTED: Record<string, string> = {
  ENOENT: 'there is no such program',
  EACCES: 'it is not executable: chmod +x',
};

/**
 * The program shares our terminal, so that it can ask for a PIN. On Windows, cross-spawn finds it by PATHEXT, and quotes for cmd.exe what
 * a .cmd or .bat gets. Its output goes to standard error, because a script may read ours.
 */
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

/** @throws Refusal unless the program made one file, beside the document, and the gate accepts it. */
async function madeSignature(
  path: string,
  made: string[],
  { fileId, sha256, size }: DocumentToSign,
  { orderRef }: ToSignPage,
): Promise<Uint8Array> {
  if (made.length !== 1) {
    const wrote = plain(`The program wrote ${made.join(', ') || 'no signature'} of document ${fileId}`);
    throw new Refusal(`${wrote}: nothing was uploaded. It must write one to ${SIGNATURE}, or beside ${DOCUMENT}.`);
  }
  const document: SignedDocument = {
    digest: (algorithm) => digestOf(createReadStream(path), algorithm),
    open: async () => createReadStream(path),
    size,
    findOwner: (...sought) => whatWasSigned(document, ...sought),
  };
  if ((await document.digest('sha256')).toString('hex') !== sha256)
    throw new Refusal(`The program changed document ${fileId} of order ${orderRef}: nothing was uploaded.`);
  const bytes = await readFile(join(dirname(path), ...made));
  const verdict = await checkSignature(bytes, document, { level: 'check', authorities: [], now: new Date() });
  if (verdict.passed) return verdict.bytes;
  throw new Refusal(
    `The program's signature of document ${fileId} of order ${orderRef} cannot be used: nothing was uploaded. ${told(verdict).problem}`,
  );
}
