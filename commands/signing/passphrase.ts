import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Refusal } from '../text.ts';

/** May hold the passphrase. On the command line other users of the machine would see it. */
export const PASSPHRASE_VARIABLE = 'LOAN_ORDERS_KEY_PASSPHRASE';

/**
 * The passphrase of an encrypted key: from the environment, or typed on the terminal without echo.
 * @throws Refusal when there is neither.
 */
export async function askPassphrase(keyPath: string): Promise<string> {
  const given = process.env[PASSPHRASE_VARIABLE];
  if (given !== undefined) return given;
  if (!process.stdin.isTTY) {
    throw new Refusal(
      `The key in ${keyPath} is encrypted: nothing was signed. Put its passphrase into the environment variable ${PASSPHRASE_VARIABLE}, or run this in a terminal.`,
    );
  }
  process.stderr.write(`Passphrase of ${keyPath}: `);
  // Discards the echo: the terminal must not show what is typed.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await terminal.question('');
  } catch {
    // Ctrl-C or Ctrl-D.
    throw new Refusal('No passphrase was given: nothing was signed.');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
