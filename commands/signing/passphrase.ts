import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Refusal } from '../refusal.ts';

/** Where a passphrase may stand; on the command line others would see it. */
export const PASSPHRASE_VARIABLE = 'LOAN_ORDERS_KEY_PASSPHRASE';

/**
 * The passphrase of an encrypted key: from the environment, else asked for on the terminal, without showing it.
 * @throws Refusal when there is neither.
 */
export async function askPassphrase(keyPath: string): Promise<string> {
  const given = process.env[PASSPHRASE_VARIABLE];
  if (given !== undefined) return given;
  if (!process.stdin.isTTY) {
    throw new Refusal(
      `The key in ${keyPath} is encrypted: nothing was signed. Put its passphrase into the environment variable ${PASSPHRASE_VARIABLE}, or run this on a terminal.`,
    );
  }
  process.stderr.write(`Passphrase of ${keyPath}: `);
  // What is typed goes nowhere: the terminal must not show it.
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
