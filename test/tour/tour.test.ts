import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildCommandLine } from '../../scripts/build-command-line.ts';
import { oldestNode } from '../helpers/oldest-node.ts';
import { missingFrom, readPage, type Step } from './page.ts';
import { Terminals } from './terminal.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = 'docs/laptop.md';
const parts = readPage(readFileSync(join(root, PAGE), 'utf8')).filter(({ steps }) => steps.length > 0);
/** Seconds that a step may take on a busy machine: one that waits for hundreds of orders, and any other. */
const [LONG, SHORT] = [1_200, 600];
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

/** People have the command line as one file, and often the oldest Node that it runs on. So `npx loan-orders` starts those here. */
async function useBuiltCommandLine(): Promise<void> {
  const { file } = await buildCommandLine(folder);
  const lines = [
    '#!/bin/sh',
    `[ "$1" = loan-orders ] || exec '${npx}' "$@"`,
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
