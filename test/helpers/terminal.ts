import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { quoted } from '../../commands/shared/text.ts';

const program = fileURLToPath(new URL('../../bin/loan-orders.js', import.meta.url));

export const keys = {
  up: '\u001b[A',
  down: '\u001b[B',
  enter: '\r',
  escape: '\u001b',
  interrupt: '\u0003',
  yes: 'y',
};

export interface TerminalRun {
  /** All that the terminal shows so far, as plain text. */
  shown(): string;
  /** Waits until the terminal shows the text, from where the last such wait ended, then presses the keys. */
  answer(text: string, ...pressed: string[]): Promise<void>;
  ended: Promise<number | null>;
}

/** Whether this machine has `script` of util-linux, which opens the terminal. macOS has another one. */
export const hasTerminal = process.platform === 'linux';

export function onTerminal(args: string[], environment: Record<string, string> = {}): TerminalRun {
  const command = [process.execPath, program, ...args].map(quoted).join(' ');
  // The program replaces the shell, so `script` sees its exit code.
  const line = `stty cols 200 rows 50; exec ${command}`;
  const { PATH, HOME = '', NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, SHELL: '/bin/sh', TERM: 'xterm', ...environment };
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], { env });
  onTestFinished(() => void child.kill());
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const shown = () => stripVTControlCharacters(output).replaceAll('\r', '');
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let seen = 0;
  return {
    shown,
    ended,
    answer: async (text, ...pressed) => {
      while (!shown().includes(text, seen)) {
        const more = await Promise.race([once(child.stdout, 'data'), ended]);
        if (!Array.isArray(more) && !shown().includes(text, seen))
          throw new Error(`The terminal did not show "${text}". It shows:\n${shown()}`);
      }
      seen = shown().indexOf(text, seen) + text.length;
      for (const key of pressed) child.stdin.write(key);
    },
  };
}
