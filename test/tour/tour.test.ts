import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildCommandLine } from '../../scripts/build-command-line.ts';
import { oldestNode } from '../helpers/oldest-node.ts';
import { Terminals } from './terminal.ts';

/** What a reader of the page does, and then sees. */
type Step =
  | { kind: 'command'; command: string; shows: string[]; line: number }
  | { kind: 'keys'; keys: string[]; shows: string[]; line: number };

interface Part {
  title: string;
  steps: Step[];
}

/**
 * Reads the steps of a page: commands are the lines of `console` blocks that begin with `$ `, and the lines below one are what it
 * shows. `<kbd>` in the text is a key that is pressed between two blocks; a block without a command is what the keys bring.
 */
function readPage(text: string): Part[] {
  const parts: Part[] = [];
  let isBlock = false;
  text.split('\n').forEach((line, index) => {
    const steps = parts.at(-1)?.steps ?? [];
    if (line.startsWith('```')) isBlock = line === '```console';
    else if (isBlock) addLine(steps, line, index + 1);
    else if (line.startsWith('## ')) parts.push({ title: line.slice(3), steps: [] });
    else addKeys(steps, line, index + 1);
  });
  return parts;
}

function addLine(steps: Step[], line: string, number: number): void {
  if (line.startsWith('$ ')) steps.push({ kind: 'command', command: line.slice(2), shows: [], line: number });
  else if (line.trim() !== '') steps.at(-1)?.shows.push(line);
}

function addKeys(steps: Step[], line: string, number: number): void {
  const keys = [...line.matchAll(/<kbd>([^<]+)<\/kbd>/g)].map(([, key = '']) => key);
  if (keys.length > 0) steps.push({ kind: 'keys', keys, shows: [], line: number });
}

/** Which of these lines does not appear, in this order; `…` stands for anything. Undefined if all do. */
function missingFrom(screen: readonly string[], shows: readonly string[]): string | undefined {
  let from = 0;
  for (const expected of shows) {
    const pattern = new RegExp(`^${expected.trimEnd().split('…').map(literally).join('.*')}$`);
    const at = screen.findIndex((line, index) => index >= from && pattern.test(line.trimEnd()));
    if (at < 0) return expected;
    from = at + 1;
  }
  return undefined;
}

const literally = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const root = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = 'docs/laptop.md';
const parts = readPage(readFileSync(join(root, PAGE), 'utf8')).filter(({ steps }) => steps.length > 0);
/** Seconds that a step may take on a busy machine: one that waits for hundreds of orders, and any other. */
const [LONG, SHORT] = [1_200, 240];
const PROMPT = '$';
const npx = execFileSync('/bin/sh', ['-c', 'command -v npx'], { encoding: 'utf8' }).trim();

const folder = mkdtempSync(join(tmpdir(), 'loan-orders-tour-'));
let terminals: Terminals;

beforeAll(async () => {
  const { HOME = '' } = process.env;
  await useBuiltCommandLine();
  const PATH = [folder, process.env.PATH].join(delimiter);
  // The laptop of this test is found in its own folder of temporary files, whatever else runs.
  const environment = { PATH, HOME, TMPDIR: folder, PS1: `${PROMPT} `, LC_ALL: 'C.UTF-8', NO_COLOR: '1' };
  terminals = await Terminals.open(join(folder, 'tmux').replaceAll('/', '-'), root, environment);
});

afterAll(async () => {
  await terminals.press('first', ['Ctrl-C']);
  await terminals.until('first', (screen) => (hasEnded(screen) ? undefined : 'The laptop goes on.'), { seconds: 60 });
  await terminals.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * People have the command line as one file, and often the oldest Node that it runs on. So `npx loan-orders` starts those here, but for
 * `stage`, which needs a checkout.
 */
async function useBuiltCommandLine(): Promise<void> {
  const { file } = await buildCommandLine(folder);
  const lines = [
    '#!/bin/sh',
    `[ "$1" = loan-orders ] && [ "$2" != stage ] || exec '${npx}' "$@"`,
    'shift',
    `exec '${oldestNode()}' '${file}' "$@"`,
  ];
  writeFileSync(join(folder, 'npx'), `${lines.join('\n')}\n`, { mode: 0o755 });
}

const hasEnded = (screen: string[]) => screen.at(-1)?.trim() === PROMPT;

/** A step ends with the prompt, unless keys are pressed next, or it starts the laptop in the first terminal. */
async function take(step: Step, next: Step | undefined, window: string): Promise<void> {
  if (step.kind === 'command') await terminals.type(window, step.command);
  else await terminals.press(window, step.keys);
  const goesOn = window === 'first' || next?.kind === 'keys';
  const fault = (screen: string[]) => {
    const missing = missingFrom(screen, step.shows);
    if (missing !== undefined) return `${PAGE}:${step.line} says that this line appears:\n${missing}`;
    return goesOn || hasEnded(screen) ? undefined : `The command of ${PAGE}:${step.line} does not end.`;
  };
  const isLong = step.kind === 'command' && step.command.startsWith('until ');
  await terminals.until(window, fault, { seconds: isLong ? LONG : SHORT, isOver: hasEnded });
}

describe.each(parts)('$title', ({ title, steps }) => {
  const window = title === 'Start' ? 'first' : 'second';
  test.each(steps.map((step, index) => ({ step, next: steps[index + 1], what: whatIsTyped(step) })))(
    'line $step.line: $what',
    { timeout: LONG * 1000 },
    ({ step, next }) => take(step, next, window),
  );
});

function whatIsTyped(step: Step): string {
  return step.kind === 'command' ? step.command : `the keys ${step.keys.join(' ')}`;
}
