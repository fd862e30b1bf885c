import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'loan-orders-completion-'));
afterAll(() => rmSync(folder, { recursive: true }));

const script = fileURLToPath(new URL('../../bin/loan-orders.ts', import.meta.url));
const search = [folder, ...(process.env.PATH ?? '').split(delimiter)].join(delimiter);

beforeAll(() => {
  const program = `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`;
  writeFileSync(join(folder, 'loan-orders'), program, { mode: 0o755 });
  mkdirSync(join(folder, 'my order'));
  mkdirSync(join(folder, 'mine'));
  writeFileSync(join(folder, 'my.pem'), '');
});

/** What a shell prints that has loaded the script and then runs these lines. */
async function printed(shell: string, options: string[], lines: string): Promise<string[]> {
  const { stdout, code } = await loanOrders(['completion', shell]);
  expect(code).toBe(0);
  const input = `${stdout}\n${lines}`;
  const env = { PATH: search, HOME: folder, LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH ?? '' };
  const output = execFileSync(shell, [...options, '-c', input], { cwd: folder, env, encoding: 'utf8' });
  return output.split('\n').filter((line) => line !== '');
}

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What is typed, and what it may become. */
const cases = [
  ['dismi', 'dismiss'],
  ['list --waiting-for s', 'service, signatures'],
  ['lint m', 'mine, my order'],
  ['sign my-order --key my.', 'my.pem'],
].map(([typed = '', found = '']) => [typed.split(' '), found.split(', ')] as const);

/** The words for a POSIX shell. */
const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

describe.runIf(isInstalled('bash'))('the script for bash', () => {
  test.each(cases)('completes %j to %j', async (words, expected) => {
    const typed = `COMP_WORDS=(loan-orders ${quoted(words)}); COMP_CWORD=${words.length}`;
    const lines = `complete -p loan-orders >&2; ${typed}; _loan_orders; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect((await printed('bash', ['--norc'], lines)).sort()).toEqual(expected);
  });
});

describe.runIf(isInstalled('zsh'))('the script for zsh', () => {
  test.each(cases)('completes %j to %j', async (words, expected) => {
    // The functions of zsh's own completion, which runs on a terminal only.
    const own = `_describe() { print -l -- "\${(@)candidates%%:*}"; }
      _files() { [[ $1 == -/ ]] && print -l -- \${words[CURRENT]}*(/) || print -l -- \${words[CURRENT]}*(.); }`;
    const lines = `${own}\nwords=(loan-orders ${quoted(words)}); CURRENT=$#words; _loan_orders`;
    const output = await printed('zsh', ['-f'], `compdef() { : }\n${lines}`);
    expect(output.sort()).toEqual(expected);
  });
});

describe.runIf(isInstalled('fish'))('the script for fish', () => {
  test.each(cases)('completes %j to %j', async (words, expected) => {
    const lines = `complete -C ${JSON.stringify(`loan-orders ${words.join(' ')}`)}`;
    const output = await printed('fish', ['--no-config'], lines);
    const found = output.map((line) => (line.split('\t')[0] ?? '').replace(/\/$/, '').replaceAll('\\', ''));
    expect(found.sort()).toEqual(expected);
  });
});
